import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useIsBound } from '../api/account.ts';
import { storesQuery } from '../api/stores.ts';
import { useFilterWords } from '../device-filter/filter-words.ts';
import { useMessages } from '../i18n/language.tsx';
import { PageFrame } from '../ui/page-frame.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { AlertList } from './alert-list.tsx';
import { alertListQuery, mutesQuery, ruleListQuery } from './alert-queries.ts';
import { MuteButton } from './mute-dialog.tsx';
import { MutesNote } from './mutes-note.tsx';
import { StarterRules } from './starter-rules.tsx';
import { useTexts } from './texts.ts';

const route = getRouteApi('/signed-in/alerts');

/** What is wrong by the rules of the organization, and what was. */
export function AlertsPage() {
  const messages = useMessages();
  const isBound = useIsBound();
  return (
    <PageFrame title={messages.alerts} aside={!isBound && <Actions />}>
      {isBound ? <AlertsOfStores /> : <Alerts />}
    </PageFrame>
  );
}

function Actions() {
  const texts = useTexts();
  const filterWords = useFilterWords();
  const stores = useQuery(storesQuery).data;
  return (
    <div className="ms-auto flex flex-wrap gap-2">
      <MuteButton
        choices={[
          { target: { type: 'all' }, words: filterWords({}) },
          ...[...(stores?.keys() ?? [])].map((id) => ({
            target: { type: 'store' as const, id },
            words: filterWords({ store_id: id }),
          })),
        ]}
      />
      <Link
        to="/alerts/rules"
        className="inline-flex h-9 items-center rounded-lg border border-line bg-panel px-3 font-medium hover:bg-raised pointer-coarse:h-11"
      >
        {texts.rules}
      </Link>
    </div>
  );
}

/** What people who are bound to stores see: rules and mutes are of all stores. */
function AlertsOfStores() {
  const texts = useTexts();
  return (
    <>
      <p className="max-w-prose text-muted">{texts.ofYourStores}</p>
      <Lists
        noneOpen={
          <p>
            <StatusMark kind="idle" label={texts.noneOpen} />
          </p>
        }
      />
    </>
  );
}

function Alerts() {
  const rules = useQuery(ruleListQuery).data;
  const resolved = useQuery(alertListQuery('resolved', 1)).data;
  if (rules?.length === 0 && resolved?.rows.length === 0) {
    return <StarterRules />;
  }
  return (
    <>
      <MutesNote />
      <Lists noneOpen={rules && <NoneOpen active={rules.filter((rule) => rule.is_active).length} />} />
    </>
  );
}

/** The alerts that are open, and those that were. */
function Lists({ noneOpen }: { noneOpen: ReactNode }) {
  const texts = useTexts();
  const { open = 1, page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <AlertList
        status="open"
        page={open}
        onChoosePage={(to) => void navigate({ search: (old) => ({ ...old, open: to }) })}
        empty={noneOpen}
      />
      <AlertList
        status="resolved"
        page={page}
        onChoosePage={(to) => void navigate({ search: (old) => ({ ...old, page: to }) })}
        empty={<p className="text-muted">{texts.nothingResolved}</p>}
      />
    </>
  );
}

/** Says who watches while no alert is open; without rules that are on, where to make them. */
function NoneOpen({ active }: { active: number }) {
  const texts = useTexts();
  const isMuted = useQuery(mutesQuery).data?.some(({ target }) => target.type === 'all') ?? false;
  return active > 0 ? (
    <p>
      <StatusMark
        kind={isMuted ? 'idle' : 'good'}
        label={isMuted ? texts.noneOpen : `${texts.noneOpen} ${texts.watching(active)}`}
      />
    </p>
  ) : (
    <p className="flex flex-wrap gap-x-4">
      <StatusMark kind="idle" label={texts.noRules} />
      <Link to="/alerts/rules" className="text-accent underline">
        {texts.rules}
      </Link>
    </p>
  );
}
