import { Fault, type HeartbeatSample, type PlayerState, type WireCommand } from '@placard/protocol';
import { intervalKeptMs } from '../../core/backoff.ts';
import type { FrameCount } from '../../core/health/frames.ts';
import { MOST_SAMPLES, sampleOf, thin } from '../../core/health/samples.ts';
import { EARLIEST_MS } from '../../core/time/corrected-time.ts';
import type { Clock, DeviceLink, Log, MediaCache, Random, Store, Telemetry } from '../../core/ports.ts';
import type { Bell } from '../bell.ts';
import type { Board } from '../board.ts';
import { nowPlaying } from '../status.ts';
import type { Service } from '../supervisor.ts';

export interface HeartbeatLoopDeps {
  clock: Clock;
  random: Random;
  store: Store;
  media: MediaCache;
  telemetry: Telemetry;
  link: DeviceLink;
  board: Board;
  bell: Bell;
  playerVersion: string;
  shell: string;
  uptimeSeconds(): number;
  /** Of the time zone data of this runtime; undefined: it has none. */
  tzVersion?: string | undefined;
  /** Video frames since the page was opened; null until it has told. */
  frames(): FrameCount['counted'];
  /** Whether the socket stands; without one the heartbeats alone tell whether the cloud is there. */
  socketOpen(): boolean;
  onCommands(commands: readonly WireCommand[]): void;
  onRevision(revision: string): void;
  /** The cloud is there again after it was not. */
  onOnline(): void;
  onUnpaired(): void;
  log: Log;
}

export interface HeartbeatLoop extends Service {
  setInterval(ms: number): void;
}

const DEFAULT_INTERVAL_MS = 60_000;
const BATCH = 500;
/** A beat that is rung for right after another one tells the state, and reads no sensors again. */
const SAMPLE_SPACING_MS = 10_000;
/** A new playlist is told within this; spread, for a rule begins on every screen at the same instant. */
const TELL_SPREAD_MS = 5_000;

/** Reads the sensors and tells the cloud, every minute; what it cannot tell is kept and told later, once. */
export function createHeartbeatLoop(deps: HeartbeatLoopDeps): HeartbeatLoop {
  const { clock, store, media, board, bell, log } = deps;
  let intervalMs = DEFAULT_INTERVAL_MS;
  let buffering = true;
  let told = '';
  let telling = false;
  /** The cloud asked for no beat before this instant of the monotonic clock, whoever rings for one. */
  let notBeforeMono = 0;
  let measuredMono = Number.NEGATIVE_INFINITY;

  async function stateOf(): Promise<PlayerState> {
    const usage = await media.usage();
    const { facts } = board;
    const frames = deps.frames();
    return {
      player_version: deps.playerVersion,
      shell: deps.shell,
      uptime_seconds: Math.max(0, deps.uptimeSeconds()),
      applied_manifest_revision: facts.heldRevision,
      current: nowPlaying(facts),
      storage: {
        cache_bytes: usage.cacheBytes,
        free_bytes: usage.freeBytes,
        assets_held: media.held().size,
        assets_missing: facts.assetsMissing,
      },
      faults: board.faults(),
      ...(frames ? { frames } : {}),
      ...(deps.tzVersion === undefined ? {} : { tz_version: deps.tzVersion }),
    };
  }

  /** What the cloud shows of this screen beside its readings. */
  const whatPlays = () => `${board.facts.heldRevision}/${board.facts.current?.draft.playlistId}`;

  async function tellSoon(signal: AbortSignal): Promise<void> {
    if (telling || whatPlays() === told) return;
    telling = true;
    await clock.sleep(deps.random.next() * TELL_SPREAD_MS, signal);
    telling = false;
    if (whatPlays() !== told && board.facts.connection === 'online') bell.ring();
  }

  async function measure(): Promise<HeartbeatSample | null> {
    // A reading without a time is worth nothing, and would stand in 2013 for ever.
    if (clock.wall() < EARLIEST_MS) return null;
    if (clock.mono() - measuredMono < SAMPLE_SPACING_MS) return null;
    measuredMono = clock.mono();
    return sampleOf(await deps.telemetry.sample(), clock.wall());
  }

  /** Samples are on disk only while the cloud is away: a beat that arrives costs no write. */
  function keep(sample: HeartbeatSample): void {
    try {
      store.saveSample(sample);
      buffering = true;
      const all = store.readSamples(MOST_SAMPLES + 1).map((one) => one.measured_at);
      store.deleteSamples(thin(all));
    } catch (error) {
      log.warn({ error: String(error) }, 'heartbeat.not_kept');
    }
  }

  /** False when the disk lets nothing be deleted: these are told again with the next beat, and count once. */
  function forget(told: readonly HeartbeatSample[]): boolean {
    try {
      if (told.length > 0) store.deleteSamples(told.map((one) => one.measured_at));
      return true;
    } catch (error) {
      log.warn({ error: String(error) }, 'heartbeat.not_forgotten');
      return false;
    }
  }

  /** Sends what is kept and this sample. */
  async function beat(sample: HeartbeatSample | null, signal: AbortSignal): Promise<void> {
    const kept = buffering ? store.readSamples(BATCH) : [];
    try {
      const samples = sample ? [...kept, sample] : kept;
      const answer = await deps.link.heartbeat({ samples, state: await stateOf() }, signal);
      if (answer.kind === 'unpaired') {
        deps.onUnpaired();
        return;
      }
      const { manifest_revision, commands, next_heartbeat_in } = answer.answer;
      const forgotten = forget(kept);
      const more = kept.length === BATCH;
      buffering = more || !forgotten;
      const wasAway = board.facts.connection !== 'online';
      board.cloud(null);
      board.set({ connection: 'online' });
      if (wasAway) deps.onOnline();
      deps.onRevision(manifest_revision);
      deps.onCommands(commands);
      intervalMs = next_heartbeat_in * 1_000;
      if (more && forgotten) await beat(null, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof Fault)) throw error;
      if (sample) keep(sample);
      log.warn({ code: error.code, ...error.facts }, 'heartbeat.failed');
      board.cloud(error);
      if (!deps.socketOpen()) board.set({ connection: 'offline' });
      if (typeof error.retry === 'object') notBeforeMono = clock.mono() + error.retry.afterMs;
    }
  }

  return {
    name: 'heartbeat',
    setInterval(ms) {
      intervalMs = ms;
    },
    async run(signal) {
      const forget = board.onChange(() => void tellSoon(signal));
      try {
        while (!signal.aborted) {
          const sample = await measure();
          if (signal.aborted) return;
          if (clock.mono() >= notBeforeMono) {
            told = whatPlays();
            await beat(sample, signal);
          } else if (sample) keep(sample);
          await bell.wait(intervalKeptMs(intervalMs, deps.random.next()), signal);
        }
      } finally {
        forget();
      }
    },
  };
}
