import type { AuditEntry } from '@placard/client';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useId } from 'react';
import type { FormEvent } from 'react';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { formTexts } from '../ui/form-texts.ts';
import { Panel } from '../ui/panel.tsx';
import { ListPages, listPages } from './list-pages.tsx';
import { SettingsPage } from './settings-page.tsx';
import { useTexts } from './settings-texts.ts';

const route = getRouteApi('/signed-in/settings/audit-log');

/** Who changed what, and when. The filters are in the address. */
export function AuditLogPage() {
  return (
    <SettingsPage name="auditLog" isForAdmins>
      {() => (
        <>
          <Filters />
          <Entries />
        </>
      )}
    </SettingsPage>
  );
}

/** The beginning of a day in the zone of the browser, some days later. */
const startOfDay = (day: string, later = 0): string => {
  const date = new Date(`${day}T00:00`);
  date.setDate(date.getDate() + later);
  return date.toISOString();
};

function Filters() {
  const messages = useMessages();
  const texts = useTexts();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const days = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = Object.entries(formTexts(event.currentTarget)).map(([key, value]) => [key, value.trim()]);
    void navigate({ search: Object.fromEntries(typed.filter(([, value]) => value !== '')) });
  };
  const clear = () => void navigate({ search: {} });
  return (
    <search>
      <form
        key={JSON.stringify(filters)}
        onSubmit={submit}
        className="grid grid-cols-2 items-end gap-3 sm:grid-cols-3 xl:grid-cols-5"
      >
        <TextField
          label={texts.action}
          name="action"
          defaultValue={filters.action}
          placeholder="user.updated"
          maxLength={200}
        />
        <TextField
          label={texts.actor}
          name="actor"
          defaultValue={filters.actor}
          placeholder="usr_…"
          maxLength={200}
        />
        <TextField
          label={texts.resource}
          name="resource"
          defaultValue={filters.resource}
          placeholder="pl_…"
          maxLength={200}
        />
        <TextField
          id={`${days}-from`}
          label={texts.from}
          name="from"
          type="date"
          defaultValue={filters.from}
        />
        <TextField id={`${days}-to`} label={texts.to} name="to" type="date" defaultValue={filters.to} />
        <div className="col-span-full flex gap-2">
          <Button type="submit">{texts.search}</Button>
          {Object.keys(filters).length > 0 && <Button onClick={clear}>{messages.cancel}</Button>}
        </div>
      </form>
    </search>
  );
}

function Entries() {
  const texts = useTexts();
  const filters = route.useSearch();
  const { action, actor, resource, from, to } = filters;
  const entries = useInfiniteQuery({
    ...listPages(['audit-log', filters], (cursor) =>
      placard.auditLog
        .list({
          limit: 50,
          cursor,
          ...(action !== undefined && { action }),
          ...(actor !== undefined && { actor_id: actor }),
          ...(resource !== undefined && { resource_id: resource }),
          ...(from !== undefined && { from: startOfDay(from) }),
          ...(to !== undefined && { to: startOfDay(to, 1) }),
        })
        .page(),
    ),
    placeholderData: keepPreviousData,
  });
  return (
    <Panel title={texts.sections.auditLog} aside={Intl.DateTimeFormat().resolvedOptions().timeZone}>
      <ListPages query={entries} empty={texts.noEntries}>
        {(items) => (
          <ol className="flex flex-col divide-y divide-line">
            {items.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ol>
        )}
      </ListPages>
    </Panel>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const texts = useTexts();
  const format = useFormat();
  const navigate = route.useNavigate();
  const { actor, resource } = entry;
  return (
    <li className="flex flex-col gap-1 py-2.5 [overflow-wrap:anywhere]">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{entry.action}</span>
        <button
          type="button"
          className="min-h-6 text-start text-accent hover:underline"
          onClick={() => void navigate({ search: { resource: resource.id } })}
        >
          {resource.name ?? resource.id}
        </button>
      </div>
      <div className="flex flex-wrap items-baseline gap-x-3 text-muted">
        <time dateTime={entry.created_at}>{format.instant(entry.created_at)}</time>
        <button
          type="button"
          className="min-h-6 text-start text-accent hover:underline"
          onClick={() => void navigate({ search: { ...(actor.id !== null && { actor: actor.id }) } })}
        >
          {actor.name}
        </button>
        <span>{entry.address}</span>
      </div>
      {entry.changes.length > 0 && (
        <ul className="text-muted">
          {entry.changes.map(({ field, before, after, truncated }) => (
            <li key={field}>
              {field}: {shorten(before)} → {shorten(after)} {truncated && `(${texts.cutOff})`}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const LONGEST = 200;

/** A value as text, its beginning if it is long. */
function shorten(value: unknown): string {
  const text = value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
