import type { Rollout, RolloutDevice } from '@placard/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useFormat } from '../i18n/format.ts';
import { textOf } from '../i18n/text-of.ts';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Pages } from '../ui/pages.tsx';
import { Panel, Skeleton } from '../ui/panel.tsx';
import { RowItem, RowList } from '../ui/row-list.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { DEVICE_STATUSES } from './device-status.ts';
import { rolloutDevicesQuery } from './rollout-queries.ts';
import { useTexts } from './texts.ts';
import { useValues } from './values.ts';

const route = getRouteApi('/signed-in/devices/rollouts/$rolloutId');

/** Others, also those of a newer cloud, are neither. */
const KINDS: ReadonlyMap<string, 'good' | 'bad'> = new Map([
  ['updated', 'good'],
  ['failed', 'bad'],
]);

/** The screens of a rollout, in the order in which they are told, and what came of each. */
export function DevicesPanel({ rollout }: { rollout: Rollout }) {
  const texts = useTexts();
  const { page = 1, status } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery({
    ...rolloutDevicesQuery(rollout.id, status, page),
    placeholderData: keepPreviousData,
  });
  return (
    <Panel
      title={texts.screens}
      aside={
        <select
          aria-label={texts.showScreens}
          value={status ?? ''}
          onChange={({ target }) => {
            const chosen = DEVICE_STATUSES.find((each) => each === target.value);
            void navigate({ search: chosen === undefined ? {} : { status: chosen }, replace: true });
          }}
          className="h-9 rounded-lg border border-line bg-panel px-3 text-text pointer-coarse:h-11"
        >
          <option value="">{texts.anyStatus}</option>
          {DEVICE_STATUSES.map((each) => (
            <option key={each} value={each}>
              {texts.status[each]}
            </option>
          ))}
        </select>
      }
    >
      {list.error && <ErrorMessage error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton className="h-20" />}
      {list.data?.rows.length === 0 && <p className="text-muted">{texts.noScreens}</p>}
      {list.data && list.data.rows.length > 0 && (
        <RowList label={texts.screens}>
          {list.data.rows.map((device) => (
            <DeviceRow key={device.device_id} device={device} />
          ))}
        </RowList>
      )}
      <Pages
        page={list.data?.page ?? page}
        pages={list.data?.pages ?? 0}
        onChoose={(to) => void navigate({ search: (old) => ({ ...old, page: to }) })}
      />
    </Panel>
  );
}

function DeviceRow({ device }: { device: RolloutDevice }) {
  const texts = useTexts();
  const format = useFormat();
  const values = useValues();
  return (
    <RowItem
      title={
        <span className="flex flex-wrap items-baseline gap-x-3">
          {device.device_name === null ? (
            texts.removedScreen
          ) : (
            <Link
              to="/devices/$deviceId"
              params={{ deviceId: device.device_id }}
              className="min-w-0 text-accent hover:underline"
            >
              {device.device_name}
            </Link>
          )}
          <span className="font-normal">
            <StatusMark
              kind={KINDS.get(device.status) ?? 'idle'}
              label={textOf(texts.status, device.status)}
            />
          </span>
        </span>
      }
      facts={[
        texts.ring(format.number(device.ring)),
        values.kind(device),
        device.code !== null && textOf(texts.codes, device.code),
        device.updated_at !== null
          ? texts.updatedAt(format.instant(device.updated_at))
          : device.told_at !== null && texts.toldAt(format.instant(device.told_at)),
      ]}
    />
  );
}
