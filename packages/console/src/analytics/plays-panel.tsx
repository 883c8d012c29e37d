import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useFormat } from '../i18n/format.ts';
import { useLanguage } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { PAGE_SIZE, playsOverTimeQuery, playsQuery } from './analytics-queries.ts';
import type { PlayCounts } from './analytics-queries.ts';
import { GROUPS } from './analytics-search.ts';
import type { AnalyticsSearch, Group } from './analytics-search.ts';
import { useTexts } from './texts.ts';

/** Plays by what the address says, as a table. A name leads to its plays alone. */
export function PlaysPanel({
  search,
  onChange,
}: {
  search: AnalyticsSearch;
  onChange: (search: AnalyticsSearch) => void;
}) {
  const texts = useTexts();
  const by = search.by ?? 'content';
  const { page: _page, by: _by, ...others } = search;
  return (
    <Panel
      title={`${texts.by}: ${texts.groups[by]}`}
      aside={
        <div role="group" aria-label={texts.by} className="flex flex-wrap gap-1">
          {GROUPS.map((each) => (
            <Button
              key={each}
              aria-pressed={each === by}
              className={each === by ? 'bg-selected!' : ''}
              onClick={() => onChange({ ...others, ...(each !== 'content' && { by: each }) })}
            >
              {texts.groups[each]}
            </Button>
          ))}
        </div>
      }
    >
      {by === 'time' ? (
        <TimeRows search={search} />
      ) : (
        <NamedRows search={search} by={by} onPage={(page) => onChange({ ...search, page })} />
      )}
    </Panel>
  );
}

function TimeRows({ search }: { search: AnalyticsSearch }) {
  const { language } = useLanguage();
  const { data, error, refetch } = useQuery(playsOverTimeQuery(search));
  const time = new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    ...(data?.step === 'hour' && { timeStyle: 'short' }),
    timeZone: 'UTC',
  });
  // The newest first, as in other histories.
  const rows = data?.rows.toReversed().map(({ atMs, ...counts }) => ({
    key: String(atMs),
    name: <time dateTime={new Date(atMs).toISOString()}>{time.format(atMs)}</time>,
    ...counts,
  }));
  return (
    <>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-60" />}
      {rows && <CountsTable group="time" rows={rows} />}
    </>
  );
}

function NamedRows({
  search,
  by,
  onPage,
}: {
  search: AnalyticsSearch;
  by: Exclude<Group, 'time'>;
  onPage: (page: number) => void;
}) {
  const texts = useTexts();
  const format = useFormat();
  const { data, error, isPending, refetch } = useQuery({
    ...playsQuery(search, by),
    // Rows of one group are not shown below the name of another one.
    placeholderData: (before, query) => (query?.queryKey[2] === by ? keepPreviousData(before) : undefined),
  });
  const page = search.page ?? 1;
  const pages = Math.ceil((data?.total ?? 0) / PAGE_SIZE);
  return (
    <>
      {error && <ErrorMessage error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton className="h-60" />}
      {data?.rows.length === 0 && <p className="text-muted">{texts.noPlays}</p>}
      {data && data.rows.length > 0 && (
        <CountsTable
          group={by}
          rows={data.rows.map((row) => ({
            ...row,
            key: row.key ?? '',
            name: <RowName row={row} by={by} search={search} />,
          }))}
        />
      )}
      {pages > 1 && (
        <div className="flex items-center gap-3">
          <Button disabled={page <= 1} onClick={() => onPage(page - 1)} aria-label={texts.previous}>
            ‹
          </Button>
          <span className="text-muted">{texts.page(format.number(page), format.number(pages))}</span>
          <Button disabled={page >= pages} onClick={() => onPage(page + 1)} aria-label={texts.next}>
            ›
          </Button>
        </div>
      )}
    </>
  );
}

const LINK = 'inline-flex min-h-8 items-center text-accent underline pointer-coarse:min-h-11';

/** Leads to the plays of what the row is about; a store to its screens, because plays have no store. */
function RowName({
  row: { key, name },
  by,
  search,
}: {
  row: PlayCounts;
  by: Exclude<Group, 'time'>;
  search: AnalyticsSearch;
}) {
  const texts = useTexts();
  if (key === null || name === null) {
    return (
      <span className="text-muted">{key === null ? texts.without[by] : `${texts.deleted} (${key})`}</span>
    );
  }
  if (by === 'store') {
    return (
      <Link to="/devices" search={{ store: key }} className={LINK}>
        {name}
      </Link>
    );
  }
  const { page: _page, by: _by, ...others } = search;
  return (
    <Link
      to="/analytics"
      search={{ ...others, [by]: key, by: by === 'device' ? 'content' : 'device' }}
      aria-label={texts.onlyThis(name)}
      className={LINK}
    >
      {name}
    </Link>
  );
}

interface CountsRow {
  key: string;
  name: ReactNode;
  plays: number;
  play_seconds: number;
  failed: number;
}

function CountsTable({ group, rows }: { group: Group; rows: readonly CountsRow[] }) {
  const texts = useTexts();
  const format = useFormat();
  const most = Math.max(1, ...rows.map(({ plays }) => plays));
  return (
    <table className="w-full border-collapse text-start">
      <thead className="text-muted">
        <tr>
          <th scope="col" className="py-2 text-start font-medium">
            {texts.groups[group]}
          </th>
          <th scope="col" className="py-2 ps-3 text-end font-medium">
            {texts.plays}
          </th>
          <th scope="col" className="hidden py-2 ps-3 text-end font-medium whitespace-nowrap sm:table-cell">
            {texts.timeShown}
          </th>
          <th scope="col" className="py-2 ps-3 text-end font-medium">
            {texts.failed}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, name, plays, play_seconds: seconds, failed }) => (
          <tr key={key} className="border-t border-line">
            <th scope="row" className="w-full py-1.5 text-start font-normal [overflow-wrap:anywhere]">
              {name}
              <div
                aria-hidden
                className="h-1 rounded-full bg-accent"
                style={{ width: `${(plays / most) * 100}%` }}
              />
            </th>
            <td className="py-1.5 ps-3 text-end">{format.number(plays)}</td>
            <td className="hidden py-1.5 ps-3 text-end whitespace-nowrap sm:table-cell">
              {format.duration(seconds)}
            </td>
            <td className={`py-1.5 ps-3 text-end ${failed > 0 ? 'font-medium text-bad' : 'text-muted'}`}>
              {format.number(failed)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
