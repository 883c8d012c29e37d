import type {
  CapabilitiesReport,
  CommandStatusRequest,
  Hardware,
  HeartbeatRequest,
  HeartbeatResponse,
  HeartbeatSample,
  HelloMessage,
  ManifestAsset,
  Orientation,
  PairingStartRequest,
  PairingStartResponse,
  Play,
  PlaysResponse,
  LogsUpload,
  LiveAnswer,
  LiveLogLines,
  ScreenshotUpload,
  PushedMessage,
} from '@placard/protocol';
import type { OrderPosition } from '@placard/schedule';
import type { CommandEntry } from './commands/journal.ts';
import type { PinAttempts } from './menu/pin-attempts.ts';
import type { Identity, PairingPoll, PairingSession } from './pairing/pairing-session.ts';
import type { StoredManifest } from './stored-manifest.ts';
import type { HelperState } from './update/helper-state.ts';
import type { UpdateReport } from './update/update-report.ts';
import type { DroppedPlays, Showing, PlayEnd, PositionUpdate, UnfinishedPlays } from './playback/plays.ts';

/** Time as a port, so that tests can control it. */
export interface Clock {
  /** Whole milliseconds since 1970, corrected by the cloud and never below the last good time. For schedules. */
  wallMs(): number;
  /** The cloud has sent the time since this process started. Until then the wall clock is unconfirmed. */
  readonly isTimeConfirmed: boolean;
  /** By how many milliseconds the wall clock was set, forwards or back, since the last call; 0: not at all. */
  takeAdjustmentMs(): number;
  /** Monotonic milliseconds. For durations. */
  monoMs(): number;
  /** Resolves after this many monotonic milliseconds, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Randomness as a port. */
export interface Random {
  /** 0 ≤ number < 1. */
  next(): number;
  bytes(count: number): Uint8Array;
}

/** The part of a pino logger that the player uses: fields first, then the event name. */
export interface Log {
  debug(details: object, event: string): void;
  info(details: object, event: string): void;
  warn(details: object, event: string): void;
  error(details: object, event: string): void;
  child(details: object): Log;
}

export interface Manifests {
  /** The manifest that the player shows from. */
  held: StoredManifest | null;
  /** The manifest that the cloud wants and the player works towards; null when it is the held one. */
  target: StoredManifest | null;
}

/** Settings made on this device, for any server; they survive unpairing. */
export interface LocalSettings {
  /** Rotation of the picture; null: as configured in the cloud. */
  orientation: Orientation | null;
  pinAttempts: PinAttempts;
}

/** A media file that was verified by its hash. */
export interface CachedFile {
  sha256: string;
  /** Bytes. */
  size: number;
  contentType: string;
}

/**
 * Data that survives a power cut. Every call is durable when it returns. All data except the media index, the last good
 * time and the local settings belong to the one server that the database was opened for; other servers never see them.
 * Throws `Fault` `disk.full` or `disk.readonly` when a write cannot be made.
 */
export interface PlayerDatabase extends MediaIndex {
  /** Either all writes of the action are on disk when this returns, or none is and it throws. */
  transaction(action: () => void): void;

  readIdentity(): Identity | null;
  saveIdentity(identity: Identity): void;
  /** Erases the identity and all that belongs to it: manifests, samples, commands, positions, and plays, also unreported ones. */
  eraseDevice(): void;

  /** The secret that this device has made for this server; survives unpairing. Null: none yet. */
  readScreenSecret(): string | null;
  saveScreenSecret(secret: string): void;

  readPairing(): PairingSession | null;
  savePairing(session: PairingSession | null): void;

  readManifests(): Manifests;
  saveTargetManifest(manifest: StoredManifest): void;
  /** Makes the target the held manifest. */
  promoteTargetManifest(): void;

  readPositions(): Record<string, OrderPosition>;
  /** Prepared, not shown yet; the one before is superseded until the next one starts. Null: none is prepared. */
  savePreparedShowing(showing: Showing | null, position: PositionUpdate | null): void;
  /** `unconfirmedBootId`: the boot whose uncorrected clock dated it; null: the clock was correct. */
  savePlayStart(showing: Showing, startedAtMs: number, unconfirmedBootId: string | null): void;
  /** Closes a play, open or not; from now on it is pending. */
  savePlayEnd(showing: Showing, startedAtMs: number, end: PlayEnd, unconfirmedBootId: string | null): void;
  /** Moves the times of plays dated by the unconfirmed clock of this boot; `isConfirmed`: they are now correct. */
  shiftUnconfirmedPlays(unconfirmedBootId: string, offsetMs: number, isConfirmed: boolean): void;
  readUnfinishedPlays(): UnfinishedPlays;
  /** Closed plays, oldest first. */
  readPendingPlays(limit: number): Play[];
  deleteReportedPlays(ids: readonly string[]): void;
  /** Deletes closed plays that ended before this instant and returns their number. */
  deletePlaysBefore(ms: number): number;
  /** Plays of this device that will never be reported; null: none. */
  readDroppedPlays(): DroppedPlays | null;
  addDroppedPlays(count: number, atMs: number): void;

  saveSample(sample: HeartbeatSample): void;
  /** Oldest first. */
  readSamples(limit: number): HeartbeatSample[];
  deleteSamples(measuredAt: readonly string[]): void;

  readCommands(): CommandEntry[];
  saveCommand(entry: CommandEntry): void;
  /** Deletes reported commands that were received before this instant. */
  deleteReportedCommandsBefore(ms: number): void;

  /** Milliseconds since 1970; null when never saved. */
  readLastGoodTime(): number | null;
  saveLastGoodTime(ms: number): void;
  /** Counts a start of the player on this disk; returns how many there were, this one included. */
  countStart(): number;

  /** What the cloud said last: this player updates by command alone; false when it never did. Part of the device. */
  readUpdatesHeld(): boolean;
  saveUpdatesHeld(held: boolean): void;

  readLocalSettings(): LocalSettings;
  saveLocalSettings(settings: LocalSettings): void;
  close(): void;
}

/** Which files of the media folder are verified. */
export interface MediaIndex {
  listMedia(): CachedFile[];
  saveMedia(row: CachedFile): void;
  removeMedia(sha256: string): void;
  /** Whether a manifest of any server contains it, or it is prepared or on the screen. */
  isReferenced(sha256: string): boolean;
  /** Verified media that are not referenced, least recently shown first. */
  listUnreferencedMedia(): CachedFile[];
}

/** Verified media files, keyed by the hash of their bytes. */
export interface MediaCache {
  /** Hashes of verified files. */
  cachedHashes(): ReadonlySet<string>;
  /** Path of the file; null when it is missing or has changed. */
  find(sha256: string): Promise<{ path: string; size: number; contentType: string } | null>;
  /**
   * Downloads, verifies and stores an asset; returns at once when it is cached. Resumes a partial download. Follows
   * redirects to URLs for which `requireAllowed` does not throw; without it none.
   * Throws `Fault` `asset.gone`, `asset.not_allowed`, `asset.hash_mismatch`, `asset.download_failed`, `disk.full` or
   * `disk.readonly`.
   */
  fetch(asset: ManifestAsset, signal: AbortSignal, requireAllowed?: (url: string) => void): Promise<void>;
  /**
   * Hashes the file again: true when it is correct, false when it is no longer cached. Null when it could not be read
   * for a reason other than its content: it stays and should be verified again. With `lowPrioritySignal` it reads
   * slowly to spare the disk, takes as long as it needs, and returns null when the signal aborts.
   */
  verify(sha256: string, lowPrioritySignal?: AbortSignal): Promise<boolean | null>;
  /** Deletes a file, referenced or not; if it is needed it has to be downloaded again. */
  remove(sha256: string): Promise<void>;
  /** Deletes unreferenced files, all of them or until the disk budget is kept; returns their hashes. */
  evict(what: 'over_budget' | 'all_unreferenced'): Promise<string[]>;
  usage(): Promise<{ cacheBytes: number; freeBytes: number | null }>;
}

/** The cloud would reject the same request again; the cloud, the connection and this device are fine. */
export interface RefusedResponse {
  kind: 'refused';
  status: number;
  /** The cloud's error code. */
  code: string;
}

/** The only response that unpairs: 401 `DEVICE_UNPAIRED`, or the socket's close code 4401. */
export interface UnpairedResponse {
  kind: 'unpaired';
}

export type SocketCloseResult =
  | UnpairedResponse
  | {
      kind: 'closed';
      code: number;
      welcomed: boolean;
      /** When the cloud wants the player to come back; null if it has not said. */
      retryAfterMs: number | null;
    };

/**
 * The cloud as this player sees it. Responses are parsed; one that is not of a Placard cloud throws `Fault`
 * `cloud.unreachable`, `cloud.tls`, `cloud.not_placard`, `cloud.refused` or `cloud.busy`.
 */
export interface CloudLink {
  startPairing(request: PairingStartRequest, signal: AbortSignal): Promise<PairingStartResponse>;
  pollPairing(session: PairingSession, signal: AbortSignal): Promise<PairingPoll>;
  /** Only checks that the cloud responds. `clockOffsetMs`: the system clock of this device minus the cloud's; null: it sent no time. */
  probe(signal: AbortSignal): Promise<{ roundTripMs: number; clockOffsetMs: number | null }>;
  /** The operations of a paired device. */
  createDeviceLink(token: string): DeviceLink;
}

export interface SocketHandlers {
  hello(serverProtocol: number): HelloMessage;
  onMessage(message: PushedMessage): void;
  /** A message of a type that this version does not know was ignored. */
  onUnknown?(type: string): void;
}

/** To what has no answer but that it has arrived. */
type SentResponse = { kind: 'ok' } | RefusedResponse | UnpairedResponse;

export interface DeviceLink {
  /** `unchanged` when the given revision is still the target. */
  fetchManifest(
    knownRevision: string | null,
    signal: AbortSignal,
  ): Promise<{ kind: 'manifest'; manifest: StoredManifest } | { kind: 'unchanged' } | UnpairedResponse>;
  sendHeartbeat(
    body: HeartbeatRequest,
    signal: AbortSignal,
  ): Promise<{ kind: 'ok'; response: HeartbeatResponse } | UnpairedResponse>;
  sendPlays(
    plays: readonly Play[],
    signal: AbortSignal,
  ): Promise<{ kind: 'ok'; response: PlaysResponse } | RefusedResponse | UnpairedResponse>;
  reportCommandStatus(id: string, status: CommandStatusRequest, signal: AbortSignal): Promise<SentResponse>;
  /** Sends a picture of the screen. `refused`: nobody waits for it any more. */
  sendScreenshot(body: ScreenshotUpload, signal: AbortSignal): Promise<SentResponse>;
  /** Sends logs and status. `refused`: nobody waits for them any more. */
  sendLogs(body: LogsUpload, signal: AbortSignal): Promise<SentResponse>;
  /** Answers somebody who looks at the screen. `refused`: nobody waits for it any more. */
  answerLive(body: LiveAnswer, signal: AbortSignal): Promise<SentResponse>;
  /** Sends what this device can play and what it is made of. `refused`: the cloud, or a node of it, is an older one. */
  sendCapabilities(body: CapabilitiesReport, signal: AbortSignal): Promise<SentResponse>;
  /** Resolves when the socket has closed; throws `Fault` when it could not be opened. `hello` gets the version of the server. */
  openSocket(socket: SocketHandlers, signal: AbortSignal): Promise<SocketCloseResult>;
}

export type NetworkInterface = NonNullable<Hardware['network_interfaces']>[number];

/** One reading of the sensors; null is a missing sensor, never 0. */
export type SensorReadings = Omit<HeartbeatSample, 'measured_at'>;

/** Never throws and never takes longer than its own time-outs. */
export interface Telemetry {
  sample(): Promise<SensorReadings>;
  hardware(): Promise<Hardware>;
  interfaces(): Promise<NetworkInterface[]>;
}

/** The machine that the player runs on. */
export interface Machine {
  /** Constant for the life of the machine or of its data folder. */
  readonly serial: string;
  /** Changes with every boot of the operating system. */
  readonly bootId: string;
  readonly platform: string;
  readonly hostname: string;
  /** Seconds since the operating system booted. */
  uptimeSeconds(): number;
  /** Asks the operating system to reboot; rejects when it refuses. */
  reboot(): Promise<void>;
}

/** Updates the player. */
export interface Updater {
  /**
   * Looks for a newer version, has it installed now, and returns the outcome. An installation restarts the player;
   * called again with `previousProgress`, the last report of the earlier run, it continues. Null: nothing has begun.
   */
  update(
    context: {
      previousProgress: Record<string, unknown> | null;
      reportProgress: (report: UpdateReport) => void;
    },
    signal: AbortSignal,
  ): Promise<UpdateReport>;
}

/** Downloads signed packages and hands them to the update helper, which installs them. */
export interface PackageUpdater {
  /**
   * Looks for a newer version and downloads it: `staged`. If `mayInstall` says so when that is done, which may be hours later, it is
   * handed to the update helper as well: `installing`. Concurrent calls share one check.
   */
  check(
    options: { mayInstall: () => boolean; onProgress?: (report: UpdateReport) => void },
    signal: AbortSignal,
  ): Promise<UpdateReport>;
  /**
   * Follows an installation until the helper has finished: `confirmed`, `rolled_back` or `failed`. Continues one
   * that an earlier run of the player started.
   */
  follow(to: string, signal: AbortSignal): Promise<UpdateReport>;
  /** Whether the helper is installing, or about to. */
  isBusy(): Promise<boolean>;
  /** The helper's state of the last update; it survives restarts. */
  readHelperState(): Promise<HelperState>;
  /** Confirms to the helper that this version is healthy; without it a version on trial is rolled back. */
  reportHealthy(): Promise<void>;
}

/** Compares a PIN with the hash of the right one, in constant time. */
export interface PinVerifier {
  /** `hash`: `scrypt$<log2 N>$<salt>$<hash>`. */
  verify(pin: string, hash: string): Promise<boolean>;
}

/** Logs and status, without secrets, for support. */
export interface SupportBundle {
  /** Returns the folders that were written; rejects when none could be. */
  save(status: object, atMs: number): Promise<string[]>;
  /** `LogBundle` as JSON, compressed by gzip to at most `maxBytes`; the oldest lines are left out until it fits. */
  pack(status: object, maxBytes: number): Promise<Buffer>;
  /** The newest lines of the log, for somebody who follows it. */
  newestLines(): LiveLogLines;
}

/** `status.json`: read by a technician over ssh, and by tests. */
export interface StatusFile {
  write(status: object): Promise<void>;
}

export type { OrderPosition };
