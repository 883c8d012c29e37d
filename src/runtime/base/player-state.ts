import { DEFAULT_DISPLAY } from '@placard/protocol';
import type { DisplaySettings, Fault, FaultCode, Orientation, ReportedFault } from '@placard/protocol';
import type { VideoCapability } from '../../stage-link/messages.ts';
import { clearFaults, NO_FAULTS, raiseFault, toReportedFaults } from '../../core/health/faults.ts';
import type { PairingState } from '../../core/pairing/pairing.ts';
import type { ActivePlaylist } from '../../core/playback/compiled-manifest.ts';
import type { CurrentShowing } from '../../core/playback/playback-state.ts';
import type { Showing } from '../../core/playback/plays.ts';
import type { Clock, Identity } from '../../core/ports.ts';

/** State that the services share, with a notification on every change. */
export interface PlayerStateFields {
  identity: Identity | null;
  /** Null while paired. */
  pairing: PairingState | null;
  /** The device name shown as pairing confirmation until this monotonic time. */
  confirmation: { deviceName: string; untilMonoMs: number } | null;
  connection: 'connecting' | 'online' | 'offline';
  heldRevision: string | null;
  /** The revision that the cloud wants; equal to the held one when everything is synced. */
  targetRevision: string | null;
  blockedBy: FaultCode | null;
  assetsMissing: number;
  deviceName: string;
  /** Set in the cloud. */
  orientation: Orientation;
  /** Set in the technician menu, overrides the cloud's; null: not set. */
  localOrientation: Orientation | null;
  display: DisplaySettings;
  activePlaylist: ActivePlaylist | null;
  current: CurrentShowing | null;
  next: Showing | null;
  /** The page has `next` ready. */
  isNextReady: boolean;
  /** Video formats that the page can decode; null: not reported yet. */
  videoCapabilities: readonly VideoCapability[] | null;
  /** Something is on the stage or about to be shown. */
  hasSomethingToShow: boolean;
  /** Plays dropped without being reported, for example because the cloud was unreachable for 30 days. */
  playsDropped: number;
}

/** Raises and clears its own faults. A fault stays active as long as at least one source has it raised. */
export interface FaultSource {
  raise(code: FaultCode, details?: Readonly<Record<string, unknown>>): void;
  /** Clears these faults; without codes, all faults of this source. */
  clear(...codes: FaultCode[]): void;
}

/** The player state itself is a source for faults that only one place raises. */
export interface PlayerState extends FaultSource {
  readonly fields: Readonly<PlayerStateFields>;
  set(change: Partial<PlayerStateFields>): void;
  createFaultSource(): FaultSource;
  /** Null: the cloud responded; otherwise why it did not. Replaces the previous cloud fault. */
  setCloudFault(fault: Fault | null): void;
  faults(): ReportedFault[];
  /** Calls the listener after every change; returns the unsubscribe function. */
  onChange(listener: () => void): () => void;
}

const CLOUD_FAULT_CODES: readonly FaultCode[] = [
  'cloud.unreachable',
  'cloud.refused',
  'cloud.not_placard',
  'cloud.busy',
  'cloud.tls',
];

export function createPlayerState(deps: { clock: Clock }): PlayerState {
  let faults = NO_FAULTS;
  let lastSourceId = 0;
  const listeners = new Set<() => void>();
  const fields: PlayerStateFields = {
    identity: null,
    pairing: null,
    confirmation: null,
    connection: 'connecting',
    heldRevision: null,
    targetRevision: null,
    blockedBy: null,
    assetsMissing: 0,
    deviceName: '',
    orientation: 'landscape',
    localOrientation: null,
    display: DEFAULT_DISPLAY,
    activePlaylist: null,
    current: null,
    next: null,
    isNextReady: false,
    videoCapabilities: null,
    hasSomethingToShow: false,
    playsDropped: 0,
  };
  const notifyListeners = () => {
    for (const listener of listeners) {
      listener();
    }
  };
  const replaceFaults = (next: typeof faults) => {
    if (next === faults) {
      return;
    }
    faults = next;
    notifyListeners();
  };
  function createFaultSource(): FaultSource {
    const sourceId = (lastSourceId += 1);
    return {
      raise: (code, details = {}) =>
        replaceFaults(raiseFault(faults, { code, sourceId, details: details }, deps.clock.wallMs())),
      clear: (...codes) => replaceFaults(clearFaults(faults, sourceId, codes.length > 0 ? codes : undefined)),
    };
  }
  const cloudFaults = createFaultSource();
  return {
    ...createFaultSource(),
    createFaultSource,
    fields,
    set(change) {
      Object.assign(fields, change);
      notifyListeners();
    },
    setCloudFault(fault) {
      cloudFaults.clear(...CLOUD_FAULT_CODES.filter((code) => code !== fault?.code));
      if (fault && CLOUD_FAULT_CODES.includes(fault.code)) {
        cloudFaults.raise(fault.code, { ...fault.details });
      }
    },
    faults: () => toReportedFaults(faults),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
