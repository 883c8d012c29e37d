import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay, useMayInAllStores } from '../api/account.ts';
import { newKey } from '../api/new-key.ts';
import { useLanguage, useMessages } from '../i18n/language.tsx';
import { addDays, mondayOf, wallClockOf } from '../i18n/wall-clock.ts';
import { Button } from '../ui/button.tsx';
import { ConflictNote } from '../ui/conflict-note.tsx';
import { ErrorMessage, fieldErrors } from '../ui/error-message.tsx';
import { TextField } from '../ui/field.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { RestoredNote } from '../ui/restored-note.tsx';
import { describeWarning } from '../ui/video-warning.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { useEditedDraft } from './edited-draft.ts';
import { RuleDialog } from './rule-dialog.tsx';
import { describeRule, nameRules } from './rule-words.ts';
import { SaveBar } from './save-bar.tsx';
import { newRule } from './schedule-draft.ts';
import type { DraftRule, Schedule } from './schedule-draft.ts';
import {
  organizationQuery,
  otherSchedulesQuery,
  playlistNamesQuery,
  scheduleQuery,
} from './schedule-queries.ts';
import { TargetsField } from './targets-field.tsx';
import { useTexts } from './texts.ts';
import { HATCHED, WeekCalendar } from './week-calendar.tsx';

const NO_SCHEDULES: readonly Schedule[] = [];

const route = getRouteApi('/signed-in/schedules/$scheduleId');

/** One schedule: for which screens, when, and what saving it would change. */
export function SchedulePage() {
  const { scheduleId } = route.useParams();
  const found = useQuery(scheduleQuery(scheduleId));
  const organization = useQuery(organizationQuery);
  const playlists = useQuery(playlistNamesQuery);
  const error = found.error ?? organization.error ?? playlists.error;
  if (found.data && organization.data && playlists.data) {
    return (
      <Editor
        key={scheduleId}
        schedule={found.data.schedule}
        etag={found.data.etag}
        timeZone={organization.data.timezone}
        playlists={playlists.data}
      />
    );
  }
  return error ? (
    <div className="flex flex-col gap-4">
      <BackLink />
      <ErrorMessage error={error} onRetry={() => void found.refetch()} />
    </div>
  ) : (
    <Skeleton className="h-96" />
  );
}

function BackLink() {
  const texts = useTexts();
  return (
    <Link to="/schedules" className="text-muted hover:text-text">
      ← {texts.back}
    </Link>
  );
}

function Editor({
  schedule,
  etag,
  timeZone,
  playlists,
}: {
  schedule: Schedule;
  etag: string | null;
  timeZone: string;
  playlists: ReadonlyMap<string, string>;
}) {
  const messages = useMessages();
  const texts = useTexts();
  const { language } = useLanguage();
  const isEditor = useMay('Write');
  const mayWrite = useMayInAllStores('Write');
  const mayDelete = useMay('Admin');
  const [openKey, setOpenKey] = useState<string | null>(null);
  const [isDeleting, setIsDeleting] = useState(false);
  const today = wallClockOf(Date.now(), timeZone).slice(0, 10);
  const weekStart = mondayOf(route.useSearch().week ?? today);
  const editor = useEditedDraft(schedule, etag, { weekStart, today, timeZone });
  const { draft, edit } = editor;
  const others = useQuery(otherSchedulesQuery(schedule.id, draft.targets)).data ?? NO_SCHEDULES;
  const [firstPlaylist] = playlists.keys();
  const create = (): DraftRule | null =>
    firstPlaylist === undefined ? null : newRule(firstPlaylist, newKey(), new Date());
  const change = (rule: DraftRule) =>
    edit({
      rules: draft.rules.map((each) =>
        each.key === rule.key ? { ...rule, editedAt: new Date().toISOString() } : each,
      ),
    });
  const add = (rule: DraftRule) => {
    edit({ rules: [...draft.rules, rule] });
    setOpenKey(rule.key);
  };
  const remove = (key: string) => {
    edit({ rules: draft.rules.filter((each) => each.key !== key) });
    setOpenKey(null);
  };
  const problems = problemsByRule(
    editor.error,
    (editor.tried?.warnings ?? []).map((warning) => ({
      path: warning.path,
      message: describeWarning(warning, messages),
    })),
    (sentence) => nameRules(sentence, draft.rules, playlists),
  );
  const open = draft.rules.findIndex(({ key }) => key === openKey);
  const openRule = draft.rules[open];
  const general = (editor.tried?.warnings ?? []).filter(({ path }) => !path.startsWith('rules.'));
  return (
    <div className="flex flex-col gap-4">
      <title>{`${schedule.name} · Placard`}</title>
      <header className="flex flex-col gap-2">
        <BackLink />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <h1 className="min-w-0 text-xl font-semibold [overflow-wrap:anywhere]">{draft.name}</h1>
          <label className="flex min-h-9 items-center gap-2">
            <input
              type="checkbox"
              role="switch"
              checked={draft.is_active}
              disabled={!mayWrite}
              onChange={(event) => edit({ is_active: event.target.checked })}
              className="size-5 accent-accent"
            />
            {texts.active}
          </label>
          {mayDelete && (
            <Button look="quiet" className="ms-auto" onClick={() => setIsDeleting(true)}>
              {texts.deleteSchedule}
            </Button>
          )}
        </div>
      </header>
      {isEditor && !mayWrite && <p className="text-muted">{messages.boundNote}</p>}
      <RestoredNote atMs={editor.restoredAtMs} onDiscard={editor.discard} />
      {editor.hasConflict && (
        <ConflictNote
          theirs={[
            schedule.name,
            ...schedule.rules.map(
              (rule) => `${playlists.get(rule.playlist_id)}: ${describeRule(rule, language, texts.words)}`,
            ),
          ]}
          onKeepMine={editor.keepMine}
          onTakeTheirs={editor.discard}
        />
      )}
      <Panel title={messages.settings}>
        <fieldset disabled={!mayWrite} className="max-w-md">
          <TextField
            label={messages.name}
            value={draft.name}
            maxLength={200}
            required
            error={fieldErrors(editor.error)['name']}
            onChange={(event) => edit({ name: event.target.value })}
          />
        </fieldset>
        <TargetsField targets={draft.targets} mayWrite={mayWrite} onChange={(targets) => edit({ targets })} />
        {general.map((warning) => (
          <p key={warning.path + warning.message} className="text-warn">
            ▲ {describeWarning(warning, messages)}
          </p>
        ))}
      </Panel>
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,1fr)]">
        <Panel title={texts.week} aside={texts.zone(timeZone)}>
          <div className="flex flex-wrap items-center gap-2">
            <WeekLink week={addDays(weekStart, -7)} label={texts.previousWeek} text="‹" />
            <WeekLink week={undefined} label={texts.thisWeek} text={texts.thisWeek} />
            <WeekLink week={addDays(weekStart, 7)} label={texts.nextWeek} text="›" />
            <span className="text-muted">
              {new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
                Date.parse(`${weekStart}T00:00:00Z`),
              )}
            </span>
            {mayWrite && (
              <Button
                className="ms-auto"
                disabled={firstPlaylist === undefined}
                onClick={() => {
                  const rule = create();
                  if (rule) {
                    add(rule);
                  }
                }}
              >
                {texts.addRule}
              </Button>
            )}
          </div>
          {mayWrite && (
            <p className="text-muted">{firstPlaylist === undefined ? texts.noPlaylists : texts.drawHint}</p>
          )}
          <WeekCalendar
            rules={draft.rules}
            others={others}
            weekStart={weekStart}
            today={today}
            playlists={playlists}
            mayWrite={mayWrite}
            draftRule={create}
            onChange={change}
            onAdd={add}
            onRemove={remove}
            onOpen={setOpenKey}
          />
          {others.length > 0 && (
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span aria-hidden className={`size-4 rounded-sm border border-line ${HATCHED}`} />
              <span className="text-muted">{texts.others}</span>
              {others.map(({ id, name }) => (
                <Link
                  key={id}
                  to="/schedules/$scheduleId"
                  params={{ scheduleId: id }}
                  search={(search) => ({ week: search.week })}
                  className="underline [overflow-wrap:anywhere]"
                >
                  {name}
                </Link>
              ))}
            </div>
          )}
        </Panel>
        <Panel title={texts.rulesTitle}>
          {draft.rules.length === 0 && <p className="text-muted">{texts.noRules}</p>}
          <ol className="flex flex-col">
            {draft.rules.map((rule, index) => (
              <li key={rule.key} className="border-t border-line py-2 first:border-0">
                <button
                  type="button"
                  onClick={() => setOpenKey(rule.key)}
                  className="w-full text-start [overflow-wrap:anywhere] hover:underline"
                >
                  <span className="font-semibold">{playlists.get(rule.playlist_id) ?? '…'}</span>{' '}
                  {describeRule(rule, language, texts.words)}{' '}
                  {rule.priority > 0 && (
                    <span className="text-muted">({texts.priorityOf(String(rule.priority))})</span>
                  )}
                </button>
                {Object.values(problems.get(index) ?? {})
                  .flat()
                  .map((message) => (
                    <p key={message} className="text-warn">
                      ▲ {message}
                    </p>
                  ))}
              </li>
            ))}
          </ol>
        </Panel>
      </div>
      {editor.isEdited && !editor.hasConflict && (
        <SaveBar
          tried={editor.tried}
          triedDay={editor.triedDay}
          error={editor.error}
          isSaving={editor.isSaving}
          timeZone={timeZone}
          onSave={editor.save}
          onUndo={editor.canUndo ? editor.undo : null}
          onDiscard={editor.discard}
        />
      )}
      {openRule && (
        <RuleDialog
          rule={openRule}
          playlists={playlists}
          today={today}
          problems={problems.get(open) ?? {}}
          mayWrite={mayWrite}
          onChange={change}
          onRemove={() => remove(openRule.key)}
          onClose={() => setOpenKey(null)}
        />
      )}
      {isDeleting && <DeleteDialog schedule={schedule} onClose={() => setIsDeleting(false)} />}
    </div>
  );
}

/** What the API says of each rule, by its index and the field. */
function problemsByRule(
  error: unknown,
  warnings: readonly { path: string; message: string }[],
  reword: (sentence: string) => string,
) {
  const byRule = new Map<number, Record<string, readonly string[]>>();
  const all = [
    ...warnings.map(({ path, message }) => [path, message] as const),
    ...Object.entries(fieldErrors(error)),
  ];
  for (const [path, message] of all) {
    const [, index, field = ''] = /^rules\.(\d+)\.?(.*)$/.exec(path) ?? [];
    if (index !== undefined) {
      const others = byRule.get(Number(index));
      byRule.set(Number(index), { ...others, [field]: [...(others?.[field] ?? []), reword(message)] });
    }
  }
  return byRule;
}

function WeekLink({ week, label, text }: { week: string | undefined; label: string; text: string }) {
  return (
    <Link
      from="/schedules/$scheduleId"
      to="."
      search={{ week }}
      replace
      aria-label={label}
      className="inline-flex h-9 items-center rounded-lg border border-line px-3 hover:bg-raised pointer-coarse:h-11"
    >
      {text}
    </Link>
  );
}
