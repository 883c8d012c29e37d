import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useIsBound } from '../api/account.ts';
import { useMessages } from '../i18n/language.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { csvAddress, ownScreensQuery } from './analytics-queries.ts';
import type { AnalyticsSearch } from './analytics-search.ts';
import { OverTimePanel } from './over-time-panel.tsx';
import { FilterBar } from './filter-bar.tsx';
import { PlaysPanel } from './plays-panel.tsx';
import { Totals } from './totals.tsx';
import { useTexts } from './texts.ts';
import { UptimePanel } from './uptime-panel.tsx';

const route = getRouteApi('/signed-in/analytics');

/** What was played and whether screens were online. Period and filters are in the address. */
export function AnalyticsPage() {
  const messages = useMessages();
  const texts = useTexts();
  const isBound = useIsBound();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (changed: AnalyticsSearch) => void navigate({ search: changed });
  // The API refuses reports about all screens to a person of some stores.
  const mustChoose = isBound && search.device === undefined;
  return (
    <div className="flex flex-col gap-4">
      <title>{`${messages.analytics} · Placard`}</title>
      <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h1 className="text-xl font-semibold">{messages.analytics}</h1>
        {!mustChoose && (
          <a
            href={csvAddress(search)}
            download="plays.csv"
            title={texts.downloadHint}
            className="inline-flex h-9 items-center rounded-lg border border-line bg-panel px-3 font-medium hover:bg-raised pointer-coarse:h-11"
          >
            {texts.download}
          </a>
        )}
      </header>
      {mustChoose ? (
        <OwnScreens search={search} />
      ) : (
        <>
          <FilterBar search={search} onChange={change} />
          <Totals search={search} isOfAll={!isBound} />
          <OverTimePanel search={search} />
          <PlaysPanel search={search} onChange={change} />
          {!isBound && <UptimePanel search={search} />}
        </>
      )}
    </div>
  );
}

/** What a person who is bound to stores begins with. */
function OwnScreens({ search }: { search: AnalyticsSearch }) {
  const messages = useMessages();
  const texts = useTexts();
  const { data, error, refetch } = useQuery(ownScreensQuery);
  return (
    <Panel title={messages.devices}>
      <p className="text-muted">{texts.chooseScreen}</p>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24" />}
      {data?.length === 0 && <p>{texts.noScreens}</p>}
      <ul className="grid gap-x-4 sm:grid-cols-2 lg:grid-cols-3">
        {data?.map(({ id, name }) => (
          <li key={id}>
            <Link
              to="/analytics"
              search={{ ...search, device: id }}
              className="inline-flex min-h-9 items-center text-accent underline [overflow-wrap:anywhere] pointer-coarse:min-h-11"
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
