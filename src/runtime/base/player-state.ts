import { allowsScreenshots, DEFAULT_DISPLAY, fromWireDisplay, screenshotIntervalOf } from '@placard/protocol';
import type { DisplaySettings, FaultCode, Manifest, Orientation, ReportedFault } from '@placard/protocol';
import type { VideoCapability } from '@placard/protocol/stage';
import type { PairingState } from '../../core/pairing/pairing.ts';
import type { ActivePlaylist } from '../../core/playback/compiled-manifest.ts';
import type { CurrentShowing } from '../../core/playback/playback-state.ts';
import type { Showing } from '../../core/playback/plays.ts';
import type { Clock } from '../../core/ports.ts';
import type { Identity } from '../../core/pairing/pairing-session.ts';
import { createActiveFaults } from './active-faults.ts';
import type { FaultSource } from './active-faults.ts';
import { createCloudConnection } from './cloud-connection.ts';
import type { CloudConnection, ConnectionState } from './cloud-connection.ts';

/** State that the services share. */
export interface PlayerStateFields {
  identity: Identity | null;
  /** Null while paired. */
  pairing: PairingState | null;
  /** The device name shown as pairing confirmation until this monotonic time. */
  confirmation: { deviceName: string; untilMonoMs: number } | null;
  connection: ConnectionState;
  /** Protocol version of the cloud, as it said on the last socket; null: there was none since the start. */
  cloudProtocol: number | null;
  heldRevision: string | null;
  /** The revision that the cloud wants; equal to the held one when everything is synced. */
  targetRevision: string | null;
  blockedBy: FaultCode | null;
  assetsMissing: number;
  /** The cloud says when this player updates: by UPDATE_CHECK alone. As it said before a restart, until it answers again. */
  updatesHeld: boolean;
  /** Empty before the first manifest. */
  deviceName: string;
  /** Set in the cloud. */
  orientation: Orientation;
  /** Set in the technician menu, overrides the cloud's; null: not set. */
  localOrientation: Orientation | null;
  display: DisplaySettings;
  /** Whether pictures of the screen may be taken from afar. */
  allowsScreenshots: boolean;
  /** Minutes between those that it sends of its own accord; null: it sends none. */
  screenshotInterval: number | null;
  activePlaylist: ActivePlaylist | null;
  current: CurrentShowing | null;
  next: Showing | null;
  /** The page has `next` ready. */
  isNextReady: boolean;
  /** Video formats that the page can decode; null: not reported yet. */
  videoCapabilities: readonly VideoCapability[] | null;
  /** Pixels of the display that the page is on; null: not reported. */
  displaySize: { width: number; height: number } | null;
  /** Something is on the stage or about to be shown. */
  hasSomethingToShow: boolean;
  /** Plays dropped without being reported, for example because the cloud was unreachable for 30 days. */
  playsDropped: number;
}

/** Fields that only one function changes: a method of `PlayerState`, or `CloudConnection`. */
type OwnedField =
  'connection' | 'deviceName' | 'orientation' | 'display' | 'allowsScreenshots' | 'screenshotInterval';

/**
 * The state that the services share, with a notification on every change. It is itself a source for faults that only
 * one place raises.
 */
export interface PlayerState extends FaultSource {
  readonly fields: Readonly<PlayerStateFields>;
  readonly cloud: CloudConnection;
  set(change: Partial<Omit<PlayerStateFields, OwnedField>>): void;
  /** Name and settings of the device, from its manifest. */
  setDevice(manifest: Pick<Manifest, 'organization' | 'device'>): void;
  /** Only whether and when pictures of the screen are taken, which does not wait for the files of the manifest. */
  setScreenshots(manifest: Pick<Manifest, 'organization' | 'device'>): void;
  /** Resets everything that came from the cloud: it has unpaired this player. */
  eraseDevice(): void;
  createFaultSource(): FaultSource;
  faults(): ReportedFault[];
  /** Calls the listener after every change; returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}

const screenshotSettings = (manifest: Pick<Manifest, 'organization' | 'device'>) => ({
  allowsScreenshots: allowsScreenshots(manifest),
  screenshotInterval: screenshotIntervalOf(manifest),
});

export function createPlayerState(deps: {
  clock: Clock;
  /** Orientation until the cloud sends one; absent: `landscape`. */
  orientation?: Orientation | undefined;
}): PlayerState {
  const fieldsOfDevice = {
    identity: null,
    confirmation: null,
    heldRevision: null,
    targetRevision: null,
    blockedBy: null,
    assetsMissing: 0,
    updatesHeld: false,
    deviceName: '',
    orientation: deps.orientation ?? 'landscape',
    display: DEFAULT_DISPLAY,
    allowsScreenshots: true,
    screenshotInterval: null,
  };
  const fields: PlayerStateFields = {
    ...fieldsOfDevice,
    pairing: null,
    connection: 'connecting',
    cloudProtocol: null,
    localOrientation: null,
    activePlaylist: null,
    current: null,
    next: null,
    isNextReady: false,
    videoCapabilities: null,
    displaySize: null,
    hasSomethingToShow: false,
    playsDropped: 0,
  };
  const listeners = new Set<() => void>();
  const notifyListeners = () => {
    for (const listener of listeners) {
      listener();
    }
  };
  const change = (changed: Partial<PlayerStateFields>) => {
    Object.assign(fields, changed);
    notifyListeners();
  };
  const faults = createActiveFaults({ clock: deps.clock, onChange: notifyListeners });
  const cloud = createCloudConnection({
    faults: faults.createSource(),
    state: () => fields.connection,
    setState: (connection) => change({ connection }),
  });
  return {
    ...faults.createSource(),
    createFaultSource: faults.createSource,
    faults: faults.report,
    fields,
    cloud,
    set: change,
    setDevice(manifest) {
      const { name, orientation, display } = manifest.device;
      change({
        deviceName: name,
        orientation,
        display: fromWireDisplay(display),
        ...screenshotSettings(manifest),
      });
    },
    setScreenshots: (manifest) => change(screenshotSettings(manifest)),
    eraseDevice() {
      cloud.reset();
      change(fieldsOfDevice);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
