import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { storesQuery } from '../api/stores.ts';
import { useFormat } from '../i18n/format.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { organizationQuery, shownAtQuery } from './schedule-queries.ts';
import { useTexts } from './texts.ts';
import { instantOf } from '../i18n/wall-clock.ts';

/** What each screen shows at a day and time, and why. `at` is `YYYY-MM-DDTHH:MM` on the clocks of the organization. */
export function ShownAtPanel({
  at,
  store,
  onChange,
}: {
  at: string | undefined;
  store: string | undefined;
  onChange: (to: { at?: string | undefined; store?: string | undefined }) => void;
}) {
  const texts = useTexts();
  const format = useFormat();
  const zone = useQuery(organizationQuery).data?.timezone;
  const stores = useQuery(storesQuery);
  const instant = at === undefined || zone === undefined ? null : instantOf(at, zone);
  const shown = useQuery({ ...shownAtQuery(instant ?? '', store), enabled: instant !== null });
  const { moments = [], total = 0 } = shown.data ?? {};
  return (
    <Panel title={texts.shownAt} aside={zone !== undefined && texts.zone(zone)}>
      <div className="flex flex-wrap gap-3">
        <TextField
          label={texts.at}
          type="datetime-local"
          value={at ?? ''}
          onChange={(event) => onChange({ at: event.target.value === '' ? undefined : event.target.value })}
        />
        <SelectField
          label={texts.targetKind.store}
          value={store ?? ''}
          onChange={(event) =>
            onChange({ store: event.target.value === '' ? undefined : event.target.value })
          }
        >
          <option value="">{texts.allStores}</option>
          {[...(stores.data ?? [])].map(([id, name]) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
      {shown.error && <ErrorMessage error={shown.error} />}
      {shown.isLoading && <Skeleton className="h-24" />}
      <ul className="flex flex-col">
        {moments.map(({ device, playlist, reason }) => (
          <li
            key={device.id}
            className="grid gap-x-4 border-t border-line py-2 first:border-0 md:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_minmax(0,2fr)]"
          >
            <Link
              to="/devices/$deviceId"
              params={{ deviceId: device.id }}
              className="[overflow-wrap:anywhere] hover:underline"
            >
              {device.name}
            </Link>
            <span className="font-medium [overflow-wrap:anywhere]">{playlist?.name ?? texts.nothing}</span>
            <span className="text-muted [overflow-wrap:anywhere]">{reason}</span>
          </li>
        ))}
      </ul>
      {total > moments.length && (
        <p className="text-muted">{texts.firstOf(format.number(moments.length), format.number(total))}</p>
      )}
    </Panel>
  );
}
