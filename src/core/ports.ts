import type {
  CommandStatusRequest,
  Hardware,
  HeartbeatRequest,
  HeartbeatResponse,
  HeartbeatSample,
  Manifest,
  ManifestAsset,
  Orientation,
  PassedOver,
  PairingStartRequest,
  PairingStartResponse,
  Play,
  PlayerMessage,
  PlaysResponse,
  ServerMessage,
} from '@placard/protocol';
import type { OrderPosition } from '@placard/schedule';
import type { CommandEntry } from './commands/journal.ts';
import type { PinAttempts } from './menu/pin-attempts.ts';
import type { PairingSession } from './pairing/pairing.ts';
import type { UpdateReport } from './update/report.ts';
import type { DroppedPlays, PlayDraft, PlayEnd, PositionUpdate, Unfinished } from './playback/plays.ts';

/** Time comes in through here, so that tests can make it. */
export interface Clock {
  /** Whole milliseconds since 1970, corrected by the server and never below the last good time. For schedules. */
  wall(): number;
  /** The cloud has told the time since this process began. Until then the wall clock is a guess. */
  readonly confirmed: boolean;
  /** By how many milliseconds the wall clock was set, forwards or back, since this was asked last; 0: it was not. */
  takeStep(): number;
  /** Monotonic milliseconds. For durations. */
  mono(): number;
  /** Resolves after this many monotonic milliseconds, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Chance comes in through here. */
export interface Random {
  /** 0 ≤ number < 1. */
  next(): number;
  bytes(count: number): Uint8Array;
}

/** The part of a pino logger that the player uses: facts first, then the name of the event. */
export interface Log {
  debug(facts: object, event: string): void;
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
  error(facts: object, event: string): void;
  child(facts: object): Log;
}

/** Who this player is at one server. */
export interface Identity {
  deviceId: string;
  /** Bearer token; never logged. */
  deviceToken: string;
}

/** A manifest with what was left out when it was read. */
export type KeptManifest = Manifest & { passed_over?: readonly PassedOver[] };

export interface Manifests {
  /** What the screen plays by. */
  held: KeptManifest | null;
  /** What the cloud wants and the player works towards; null when that is what is held. */
  target: KeptManifest | null;
}

/** What was set on this box itself, at whatever server; outlives an unpairing. */
export interface LocalSettings {
  /** How the picture is turned; null: as the cloud says. */
  orientation: Orientation | null;
  pinAttempts: PinAttempts;
}

/** A media file that was verified by its hash. */
export interface MediaRow {
  sha256: string;
  /** Bytes. */
  size: number;
  contentType: string;
}

/**
 * What survives a power cut. Every call is durable when it returns. All but the media index, the last good time
 * and the local settings belongs to the one server that the store was opened for, so another server never sees it.
 * Throws `Fault` `disk.full` or `disk.readonly` when a write cannot be made.
 */
export interface Store extends MediaIndex {
  /** What is written within is on the disk when this returns; or none of it is, and it throws. */
  together(act: () => void): void;

  readIdentity(): Identity | null;
  saveIdentity(identity: Identity): void;
  /** Erases the identity and all that came with it: manifests, plays, samples, commands, positions. */
  forgetDevice(): void;

  /** The secret that this screen has made for this server; outlives an unpairing. Null: none yet. */
  readScreenSecret(): string | null;
  saveScreenSecret(secret: string): void;

  readPairing(): PairingSession | null;
  savePairing(session: PairingSession | null): void;

  readManifests(): Manifests;
  saveTarget(manifest: KeptManifest): void;
  /** The target becomes what is held. */
  promoteTarget(): void;

  readPositions(): Record<string, OrderPosition>;
  /** Prepared, not shown yet; the one before it is superseded until the next one starts. Null: none is. */
  playPrepared(draft: PlayDraft | null, position: PositionUpdate | null): void;
  /** `guess`: the boot whose clock, not yet corrected, gave the time; null: the clock was right. */
  playStarted(draft: PlayDraft, startedAtMs: number, guess: string | null): void;
  /** Closes a play, open or not: it waits for the cloud from now on. */
  playEnded(draft: PlayDraft, startedAtMs: number, end: PlayEnd, guess: string | null): void;
  /** Moves the times of plays that were guessed in this boot; with `right` they are no guess any more. */
  correctPlays(guess: string, byMs: number, right: boolean): void;
  unfinishedPlays(): Unfinished;
  /** Closed plays, oldest first. */
  pendingPlays(limit: number): Play[];
  confirmPlays(ids: readonly string[]): void;
  /** Drops closed plays that ended before this instant and tells how many. */
  dropPlaysBefore(ms: number): number;
  /** Plays of this device that were shown and will never be told; null: none. */
  readDropped(): DroppedPlays | null;
  countDropped(count: number, atMs: number): void;

  saveSample(sample: HeartbeatSample): void;
  /** Oldest first. */
  readSamples(limit: number): HeartbeatSample[];
  deleteSamples(measuredAt: readonly string[]): void;

  readCommands(): CommandEntry[];
  saveCommand(entry: CommandEntry): void;
  /** Deletes reported commands that were received before this instant. */
  forgetCommandsBefore(ms: number): void;

  /** Milliseconds since 1970; null when never saved. */
  readLastGoodTime(): number | null;
  saveLastGoodTime(ms: number): void;

  readLocal(): LocalSettings;
  saveLocal(settings: LocalSettings): void;

  close(): void;
}

/** Which files of the media folder were verified. */
export interface MediaIndex {
  listMedia(): MediaRow[];
  putMedia(row: MediaRow): void;
  removeMedia(sha256: string): void;
  /** For eviction: the least recently shown goes first. */
  mediaShown(sha256: string, atMs: number): void;
  /** Whether a manifest of any server names it, or it is prepared or on the screen. */
  isNamed(sha256: string): boolean;
  /** Verified media of which that is not so, least recently shown first. */
  unnamedMedia(): MediaRow[];
}

/** Verified media files, keyed by the hash of their bytes. */
export interface MediaCache {
  /** Hashes of what is verified and may be shown. */
  held(): ReadonlySet<string>;
  /** Where the bytes are; null when not held or no longer as they were. */
  find(sha256: string): Promise<{ path: string; size: number; contentType: string } | null>;
  /**
   * Downloads, verifies and keeps an asset; returns at once when it is held. Resumes a part that an earlier try left.
   * Throws `Fault` `asset.gone`, `asset.not_allowed`, `asset.hash_mismatch`, `asset.download_failed`, `disk.full`, `disk.readonly`.
   */
  fetch(asset: ManifestAsset, signal: AbortSignal): Promise<void>;
  /**
   * Hashes the file again: true when it is right, false when it is held no more. Null when it could not be read for a
   * reason that is none of its own: it stays, and had better be looked at again. `gently`: takes little of the disk,
   * as long as it needs, and gives up (null) when that aborts.
   */
  verify(sha256: string, gently?: AbortSignal): Promise<boolean | null>;
  /** Deletes a file, named or not; one that is wanted has to be fetched again. */
  drop(sha256: string): Promise<void>;
  /** Deletes files that are not named, all of them or until the budget is kept; tells the hashes. */
  evict(what: 'over_budget' | 'all_unnamed'): Promise<string[]>;
  usage(): Promise<{ cacheBytes: number; freeBytes: number | null }>;
}

export type PairingPoll =
  | { kind: 'pending'; intervalMs: number }
  | { kind: 'slow_down'; afterMs: number }
  | { kind: 'expired' }
  | { kind: 'paired'; identity: Identity };

/** The same again would be refused again; nothing is wrong with the cloud, the way to it or this device. */
export interface Refused {
  kind: 'refused';
  status: number;
  /** Of the cloud's error. */
  code: string;
}

/** The only answer that unpairs: 401 `DEVICE_UNPAIRED`, or the socket's close 4401. */
export interface Unpaired {
  kind: 'unpaired';
}

export type SocketEnd = Unpaired | { kind: 'closed'; code: number; welcomed: boolean };

/**
 * The cloud as this player sees it. Answers are parsed; what is no answer of a Placard cloud throws `Fault`
 * `cloud.unreachable`, `cloud.tls`, `cloud.not_placard`, `cloud.refused` or `cloud.busy`.
 */
export interface CloudLink {
  startPairing(request: PairingStartRequest, signal: AbortSignal): Promise<PairingStartResponse>;
  pollPairing(session: PairingSession, signal: AbortSignal): Promise<PairingPoll>;
  /** Asks for nothing but an answer. */
  probe(signal: AbortSignal): Promise<Probe>;
  /** The calls of a paired device. */
  device(token: string): DeviceLink;
}

/** What an answer of the cloud tells of the way to it. */
export interface Probe {
  roundTripMs: number;
  /** The system clock of this box minus the cloud's, in milliseconds; null when the cloud did not say its time. */
  clockOffMs: number | null;
}

export interface DeviceLink {
  /** `unchanged` when the revision given is still the one wanted. */
  manifest(
    knownRevision: string | null,
    signal: AbortSignal,
  ): Promise<{ kind: 'manifest'; manifest: KeptManifest } | { kind: 'unchanged' } | Unpaired>;
  heartbeat(
    body: HeartbeatRequest,
    signal: AbortSignal,
  ): Promise<{ kind: 'ok'; answer: HeartbeatResponse } | Unpaired>;
  plays(
    plays: readonly Play[],
    signal: AbortSignal,
  ): Promise<{ kind: 'ok'; answer: PlaysResponse } | Refused | Unpaired>;
  commandStatus(
    id: string,
    status: CommandStatusRequest,
    signal: AbortSignal,
  ): Promise<{ kind: 'ok' } | Refused | Unpaired>;
  /**
   * Opens the socket and resolves when it has closed; throws `Fault` when it could not be opened. `hello` is
   * told which protocol the server speaks.
   */
  listen(
    socket: {
      hello(serverProtocol: number): PlayerMessage;
      onMessage(message: ServerMessage): void;
      /** A message of a type that this version does not know was passed over. */
      onUnknown?(type: string): void;
    },
    signal: AbortSignal,
  ): Promise<SocketEnd>;
}

export type NetworkInterface = NonNullable<Hardware['network_interfaces']>[number];

/** One reading of the sensors; null is a missing sensor, never 0. */
export type Readings = Omit<HeartbeatSample, 'measured_at'>;

/** Never throws and never takes longer than its own time-outs. */
export interface Telemetry {
  sample(): Promise<Readings>;
  hardware(): Promise<Hardware>;
  interfaces(): Promise<NetworkInterface[]>;
}

/** The box that the player runs on. */
export interface Machine {
  /** Stays the same for the life of the box or of its data folder. */
  readonly serial: string;
  /** Changes with every boot of the operating system. */
  readonly bootId: string;
  readonly platform: string;
  readonly hostname: string;
  /** Seconds since the operating system booted. */
  uptimeSeconds(): number;
  /** Asks the operating system to reboot; rejects when it will not. */
  reboot(): Promise<void>;
}

/** Brings the player up to date. */
export interface Updater {
  /**
   * Looks for a newer version, has it installed now, and answers how that ended: after the restart that it takes,
   * when an earlier run of the player began it. `before` is what that run told last, null at the beginning.
   */
  update(
    doing: { before: Record<string, unknown> | null; tell: (report: UpdateReport) => void },
    signal: AbortSignal,
  ): Promise<UpdateReport>;
}

/** Compares a PIN with the hash of the right one, in constant time. */
export interface PinCheck {
  /** `hash`: `scrypt$<log2 N>$<salt>$<hash>`. */
  matches(pin: string, hash: string): Promise<boolean>;
}

/** Logs and status, without secrets, for whoever is asked for help. */
export interface SupportBundle {
  /** Tells the folders that were written; rejects when none could be. */
  save(status: object, atMs: number): Promise<string[]>;
}

/** `status.json`: read by a technician over ssh, and by tests. */
export interface StatusFile {
  write(status: object): Promise<void>;
}

export type { OrderPosition };
