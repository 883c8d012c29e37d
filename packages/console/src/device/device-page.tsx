import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMay } from '../api/account.ts';
import { placard } from '../api/placard.ts';
import { useFormat } from '../i18n/format.ts';
import { useMessages } from '../i18n/language.tsx';
import { videoName } from '../ui/video-name.ts';
import { ConfirmButton } from '../ui/confirm-dialog.tsx';
import { ErrorMessage } from '../ui/error-message.tsx';
import { Facts, Panel, Skeleton } from '../ui/panel.tsx';
import { StatusMark } from '../ui/status-mark.tsx';
import { CommandPanel } from './command-panel.tsx';
import { deviceQuery } from './device-queries.ts';
import type { DeviceDetail } from './device-queries.ts';
import { FaultPanel } from './fault-panel.tsx';
import { LogsPanel } from './logs-panel.tsx';
import { OpenAlerts } from './open-alerts.tsx';
import { ScreenshotPanel } from './screenshot-panel.tsx';
import { SettingsPanel } from './settings-panel.tsx';
import { AuditPanel, PlaysPanel } from './history-panel.tsx';
import { OverTimePanel } from './over-time-panel.tsx';
import { PinPanel } from './pin-panel.tsx';
import { WeekPanel } from './week-panel.tsx';
import { TimelinePanel } from './timeline-panel.tsx';

const route = getRouteApi('/signed-in/devices/$deviceId');

/** One device: what it shows and why, what comes next, how it is, and what can be done. */
export function DevicePage() {
  const { deviceId } = route.useParams();
  const messages = useMessages();
  const query = useQuery(deviceQuery(deviceId));
  const mayWrite = useMay('Write');
  const isAdmin = useMay('Admin');
  if (query.error && !query.data) {
    return (
      <div className="flex flex-col gap-4">
        <BackLink />
        <ErrorMessage error={query.error} onRetry={() => void query.refetch()} />
      </div>
    );
  }
  if (!query.data) {
    return <Skeleton className="h-96" />;
  }
  const { device, etag } = query.data;
  return (
    <>
      <title>{`${device.name} · Placard`}</title>
      <Header device={device} />
      <OpenAlerts deviceId={device.id} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <TimelinePanel device={device} />
          <ScreenshotPanel key={device.id} deviceId={device.id} mayWrite={mayWrite} />
          <FaultPanel device={device} />
          <WeekPanel deviceId={device.id} />
          <CommandPanel deviceId={device.id} mayWrite={mayWrite} />
          {mayWrite && <LogsPanel deviceId={device.id} />}
          <OverTimePanel deviceId={device.id} />
          <PlaysPanel deviceId={device.id} />
          {isAdmin && <AuditPanel deviceId={device.id} />}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <SettingsPanel key={device.id} device={device} etag={etag} mayWrite={mayWrite} />
          <PinPanel device={device} mayWrite={mayWrite} />
          <ReadingsPanel device={device} />
          <Panel title={messages.hardware}>
            <Facts facts={hardwareFacts(device, messages)} />
          </Panel>
          {isAdmin && <RemoveButton device={device} />}
        </div>
      </div>
    </>
  );
}

function RemoveButton({ device }: { device: DeviceDetail }) {
  const messages = useMessages();
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  return (
    <div className="self-start">
      <ConfirmButton
        label={messages.removeDevice}
        question={messages.removeDeviceQuestion(device.name)}
        hint={messages.removeDeviceHint}
        onConfirm={async () => {
          await placard.devices.delete(device.id);
          await navigate({ to: '/devices' });
          await queries.invalidateQueries({ queryKey: ['devices'] });
        }}
      />
    </div>
  );
}

function BackLink() {
  const messages = useMessages();
  return (
    <nav>
      <Link to="/devices" className="text-muted hover:text-text">
        ← {messages.devices}
      </Link>
    </nav>
  );
}

function Header({ device }: { device: DeviceDetail }) {
  const messages = useMessages();
  const format = useFormat();
  const { manifest_revision: target, applied_manifest_revision: applied } = device.configuration;
  return (
    <header className="mb-4 flex flex-col gap-1">
      <BackLink />
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h1 className="min-w-0 text-xl font-semibold [overflow-wrap:anywhere]">{device.name}</h1>
        <StatusMark
          kind={device.status === 'online' ? 'good' : 'bad'}
          label={device.status === 'online' ? messages.online : messages.offline}
        />
        <span className="text-muted">
          {device.last_heartbeat === null
            ? messages.heardNever
            : messages.heardAt(format.ago(device.last_heartbeat))}
        </span>
        {applied !== null && (
          <StatusMark
            kind={target === applied ? 'idle' : 'warn'}
            label={target === applied ? messages.revisionApplied : messages.revisionBehind}
          />
        )}
      </div>
    </header>
  );
}

function ReadingsPanel({ device }: { device: DeviceDetail }) {
  const messages = useMessages();
  const format = useFormat();
  const sample = device.latest_heartbeat;
  const percent = (value: number | null) => (value === null ? '–' : format.percent(value));
  return (
    <Panel title={messages.readings} aside={sample && messages.readingsAt(format.ago(sample.measured_at))}>
      {sample ? (
        <Facts
          facts={[
            [messages.processor, percent(sample.cpu_percent)],
            [messages.memory, percent(sample.memory_percent)],
            [messages.disk, percent(sample.disk_percent)],
            [
              messages.temperature,
              sample.temperature_celsius === null ? '–' : `${format.number(sample.temperature_celsius)} °C`,
            ],
            [
              messages.wifi,
              sample.wifi_signal_dbm === null ? '–' : `${format.number(sample.wifi_signal_dbm)} dBm`,
            ],
            [
              messages.storage,
              device.storage === null
                ? '–'
                : messages.storageFiles(device.storage.assets_held, device.storage.assets_missing),
            ],
          ]}
        />
      ) : (
        <p className="text-muted">–</p>
      )}
    </Panel>
  );
}

function hardwareFacts(device: DeviceDetail, messages: ReturnType<typeof useMessages>) {
  const { hardware } = device;
  const displays = (hardware?.displays ?? []).map(
    ({ name, width, height }) => `${name ?? ''} ${width} × ${height}`,
  );
  const networks = (hardware?.network_interfaces ?? []).map(
    ({ name, ssid, addresses }) => `${name}${ssid === null ? '' : ` (${ssid})`} ${addresses.join(', ')}`,
  );
  return [
    [messages.model, hardware?.model ?? '–'],
    [messages.serial, hardware?.serial ?? '–'],
    [messages.platform, `${device.platform}, ${device.player_version}`],
    [messages.displays, displays.join(', ') || '–'],
    [messages.plays, playableNames(device.decoders ?? []).join(', ') || '–'],
    [messages.network, networks.join(', ') || '–'],
  ] as const;
}

type Decoder = NonNullable<DeviceDetail['decoders']>[number];

/** The videos of each codec and bit depth that the device plays smoothly, without those that others of them cover. */
const playableNames = (decoders: Decoder[]): string[] =>
  [
    ...Map.groupBy(
      decoders.filter((each) => each.supported && each.smooth),
      kindOf,
    ).values(),
  ].flatMap((alike) => alike.filter((one) => !alike.some((other) => covers(other, one))).map(videoName));

const covers = (other: Decoder, one: Decoder) =>
  other.width >= one.width &&
  other.frame_rate >= one.frame_rate &&
  (other.width > one.width || other.frame_rate > one.frame_rate);

const kindOf = ({ codec, bit_depth }: Decoder) => `${codec} ${bit_depth}`;
