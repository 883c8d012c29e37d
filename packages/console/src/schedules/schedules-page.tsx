import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, useMayInAllStores } from '../api/account.ts';
import { useNewName } from '../api/new-name.ts';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { NameDialog } from '../ui/name-dialog.tsx';
import { Skeleton } from '../ui/panel.tsx';
import { UndoNote } from '../ui/undo-note.tsx';
import { useSearchText } from '../ui/search-text.ts';
import type { Schedule } from './schedule-draft.ts';
import { scheduleListQuery } from './schedule-queries.ts';
import { ShownAtPanel } from './shown-at-panel.tsx';
import { TargetName } from './target-name.tsx';
import { useTexts } from './texts.ts';

const route = getRouteApi('/signed-in/schedules');

/** All schedules, with a switch each, and what the screens show at an instant. */
export function SchedulesPage() {
  const messages = useMessages();
  const texts = useTexts();
  const format = useFormat();
  const { search = '', at, store, create } = route.useSearch();
  const navigate = route.useNavigate();
  const isEditor = useMay('Write');
  const mayWrite = useMayInAllStores('Write');
  const [typed, setTyped] = useSearchText(
    search,
    (text) =>
      void navigate({
        search: (old) => ({ ...old, search: text === '' ? undefined : text }),
        replace: true,
      }),
  );
  const list = useQuery({ ...scheduleListQuery(search), placeholderData: keepPreviousData });
  const schedules = list.data?.schedules ?? [];
  const [switched, setSwitched] = useState<Switched | null>(null);
  const undo = useSwitch(() => {});
  return (
    <div className="flex flex-col gap-4">
      <title>{`${messages.schedules} · Placard`}</title>
      <header className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <h1 className="text-xl font-semibold">{messages.schedules}</h1>
        <search>
          <input
            type="search"
            aria-label={texts.searchSchedules}
            placeholder={texts.searchSchedules}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            className="h-9 rounded-lg border border-line bg-panel px-3 text-text placeholder:text-muted pointer-coarse:h-11"
          />
        </search>
        {mayWrite && (
          <Button
            look="primary"
            className="ms-auto"
            onClick={() => void navigate({ search: (old) => ({ ...old, create: 'yes' }) })}
          >
            {texts.newSchedule}
          </Button>
        )}
      </header>
      {isEditor && !mayWrite && <p className="text-muted">{messages.boundNote}</p>}
      {list.error && <ErrorMessage error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton className="h-60" />}
      {list.data && schedules.length === 0 && (
        <div className="mx-auto flex max-w-md flex-col items-center gap-3 py-12 text-center">
          {search === '' ? (
            <>
              <h2 className="text-lg font-semibold">{texts.noSchedules}</h2>
              <p className="text-muted">{texts.noSchedulesHint}</p>
            </>
          ) : (
            <p className="text-muted">{texts.nothingFound}</p>
          )}
        </div>
      )}
      {schedules.length > 0 && (
        <ul className="flex flex-col rounded-xl border border-line bg-panel">
          {schedules.map((schedule) => (
            <ScheduleRow key={schedule.id} schedule={schedule} mayWrite={mayWrite} onSwitched={setSwitched} />
          ))}
        </ul>
      )}
      {list.data && list.data.total > schedules.length && (
        <p className="text-muted">
          {texts.firstOf(format.number(schedules.length), format.number(list.data.total))}
        </p>
      )}
      <ShownAtPanel
        at={at}
        store={store}
        onChange={(to) => void navigate({ search: (old) => ({ ...old, ...to }), replace: true })}
      />
      {switched && (
        <UndoNote
          text={(switched.isActive ? texts.switchedOn : texts.switchedOff)(switched.schedule.name)}
          undoLabel={texts.undo}
          onUndo={() => {
            setSwitched(null);
            undo.mutate({ ...switched, isActive: !switched.isActive });
          }}
          closeLabel={messages.close}
          onClose={() => setSwitched(null)}
        />
      )}
      {undo.error && <ErrorMessage error={undo.error} />}
      {create !== undefined && mayWrite && (
        <NewScheduleDialog
          onClose={() => void navigate({ search: (old) => ({ ...old, create: undefined }), replace: true })}
        />
      )}
    </div>
  );
}

/** A schedule, and whether it was made active. */
interface Switched {
  schedule: Pick<Schedule, 'id' | 'name'>;
  isActive: boolean;
}

/** Switches schedules on and off, at once. */
function useSwitch(onSwitched: (switched: Switched) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ schedule: { id }, isActive }: Switched) => {
      await (isActive ? placard.schedules.activate(id) : placard.schedules.deactivate(id));
    },
    onSuccess: (_, switched) => onSwitched(switched),
    onSettled: () => queries.invalidateQueries({ queryKey: ['schedules'] }),
  });
}

function ScheduleRow({
  schedule,
  mayWrite,
  onSwitched,
}: {
  schedule: Omit<Schedule, 'rules'> & { rule_count: number };
  mayWrite: boolean;
  onSwitched: (switched: Switched) => void;
}) {
  const texts = useTexts();
  const change = useSwitch(onSwitched);
  const isActive = change.isPending ? change.variables.isActive : schedule.is_active;
  return (
    <li className="grid items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2 first:border-0 md:grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto_auto]">
      <Link
        to="/schedules/$scheduleId"
        params={{ scheduleId: schedule.id }}
        className="min-w-0 py-1 font-semibold [overflow-wrap:anywhere] hover:underline"
      >
        {schedule.name}
      </Link>
      <span className="min-w-0 text-muted [overflow-wrap:anywhere]">
        {schedule.targets.length === 0 && texts.noTargets}
        {schedule.targets.map((target, index) => (
          <span key={JSON.stringify(target)}>
            {index > 0 && ', '}
            <TargetName target={target} />
          </span>
        ))}
      </span>
      <span className="text-muted">{texts.rules(schedule.rule_count)}</span>
      <label className="flex min-h-9 items-center gap-2">
        <input
          type="checkbox"
          role="switch"
          checked={isActive}
          disabled={!mayWrite}
          aria-label={texts.activeOf(schedule.name)}
          onChange={(event) => change.mutate({ schedule, isActive: event.target.checked })}
          className="size-5 accent-accent"
        />
        <span aria-hidden>{texts.active}</span>
      </label>
      {change.error && <ErrorMessage error={change.error} />}
    </li>
  );
}

/** A new schedule is not active, so that nothing changes before it is complete. */
function NewScheduleDialog({ onClose }: { onClose: () => void }) {
  const texts = useTexts();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const typed = useNewName('schedule new', async (name) => {
    const { id } = await placard.schedules.create({ name, is_active: false });
    void queries.invalidateQueries({ queryKey: ['schedules'] });
    await navigate({ to: '/schedules/$scheduleId', params: { scheduleId: id } });
  });
  return <NameDialog title={texts.newSchedule} action={texts.add} typed={typed} onClose={onClose} />;
}
