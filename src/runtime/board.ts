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

/** Somebody who tells of faults. A fault stands for as long as one of those who told it does not take it back. */
export interface Voice {
  raise(code: FaultCode, facts?: Readonly<Record<string, unknown>>): void;
  /** Takes back these; without codes, all that this voice has told. */
  clear(...codes: FaultCode[]): void;
}

/** The board is a voice itself, for what one place alone can tell. */
export interface Board extends Voice {
  readonly facts: Readonly<BoardFacts>;
  set(change: Partial<BoardFacts>): void;
  voice(): Voice;
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
  let voices = 0;
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
  function voice(): Voice {
    const by = (voices += 1);
    return {
      raise: (code, known = {}) => put(raise(faults, { code, by, facts: known }, deps.clock.wall())),
      clear: (...codes) => put(clear(faults, by, codes.length > 0 ? codes : undefined)),
    };
  }
  const ofCloud = voice();
  return {
    ...voice(),
    voice,
    facts,
    set(change) {
      Object.assign(facts, change);
      changed();
    },
    cloud(fault) {
      ofCloud.clear(...CLOUD.filter((code) => code !== fault?.code));
      if (fault && CLOUD.includes(fault.code)) ofCloud.raise(fault.code, { ...fault.facts });
    },
    faults: () => reportFaults(faults),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
