import {
  DEFAULT_DISPLAY,
  type DisplaySettings,
  type Fault,
  type FaultCode,
  type Orientation,
  type ReportedFault,
} from '@placard/protocol';
import type { VideoCapability } from '../stage-link/messages.ts';
import { clear, NO_FAULTS, raise, reportFaults } from '../core/health/faults.ts';
import type { PairingState } from '../core/pairing/pairing.ts';
import type { Active } from '../core/playback/programme.ts';
import type { Current } from '../core/playback/state.ts';
import type { PlayDraft } from '../core/playback/plays.ts';
import type { Clock, Identity } from '../core/ports.ts';

/** What the services know of each other: plain facts, and a call when one of them changes. */
export interface BoardFacts {
  identity: Identity | null;
  /** Null while paired. */
  pairing: PairingState | null;
  /** A name to confirm the pairing with, until this instant of the monotonic clock. */
  confirm: { deviceName: string; untilMono: number } | null;
  connection: 'connecting' | 'online' | 'offline';
  heldRevision: string | null;
  /** What the cloud wants; equal to the one held when all is done. */
  targetRevision: string | null;
  blockedBy: FaultCode | null;
  assetsMissing: number;
  deviceName: string;
  /** As the cloud says. */
  orientation: Orientation;
  /** Chosen at the screen itself, and stronger; null: the cloud's holds. */
  localOrientation: Orientation | null;
  display: DisplaySettings;
  active: Active | null;
  current: Current | null;
  next: PlayDraft | null;
  /** The page has `next` ready. */
  nextReady: boolean;
  /** What the page says that it can decode; null: it has not said. */
  videos: readonly VideoCapability[] | null;
  /** Something is on the stage, or just about to be. */
  onStage: boolean;
  /** Reported plays that were given up because nobody took them for 30 days. */
  playsDropped: number;
}

export interface Board {
  readonly facts: Readonly<BoardFacts>;
  set(change: Partial<BoardFacts>): void;
  raise(code: FaultCode, facts?: Readonly<Record<string, unknown>>): void;
  /** For as long as this process runs: nobody takes it back, and its facts stay. */
  stands(code: FaultCode, facts: Readonly<Record<string, unknown>>): void;
  clear(...codes: FaultCode[]): void;
  /** The cloud answered (null), or why it did not; one reason at a time. */
  cloud(fault: Fault | null): void;
  faults(): ReportedFault[];
  /** Calls back after every change, until the function that it answers with is called. */
  onChange(listener: () => void): () => void;
}

const CLOUD: readonly FaultCode[] = [
  'cloud.unreachable',
  'cloud.refused',
  'cloud.not_placard',
  'cloud.busy',
  'cloud.tls',
];

export function createBoard(deps: { clock: Clock }): Board {
  let faults = NO_FAULTS;
  const standing = new Set<FaultCode>();
  const listeners = new Set<() => void>();
  const facts: BoardFacts = {
    identity: null,
    pairing: null,
    confirm: null,
    connection: 'connecting',
    heldRevision: null,
    targetRevision: null,
    blockedBy: null,
    assetsMissing: 0,
    deviceName: '',
    orientation: 'landscape',
    localOrientation: null,
    display: DEFAULT_DISPLAY,
    active: null,
    current: null,
    next: null,
    nextReady: false,
    videos: null,
    onStage: false,
    playsDropped: 0,
  };
  const changed = () => {
    for (const listener of listeners) listener();
  };
  const put = (next: typeof faults) => {
    if (next === faults) return;
    faults = next;
    changed();
  };
  return {
    facts,
    set(change) {
      Object.assign(facts, change);
      changed();
    },
    raise(code, known = {}) {
      if (!standing.has(code)) put(raise(faults, code, known, deps.clock.wall()));
    },
    stands(code, known) {
      standing.add(code);
      put(raise(faults, code, known, deps.clock.wall()));
    },
    clear: (...codes) => put(codes.filter((code) => !standing.has(code)).reduce(clear, faults)),
    cloud(fault) {
      let next = CLOUD.filter((code) => code !== fault?.code).reduce(clear, faults);
      if (fault && CLOUD.includes(fault.code)) {
        next = raise(next, fault.code, { ...fault.facts }, deps.clock.wall());
      }
      put(next);
    },
    faults: () => reportFaults(faults),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
