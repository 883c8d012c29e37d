import { Fault } from '@placard/protocol';
import type { HeartbeatSample, ReportedState, WireCommand } from '@placard/protocol';
import { jitteredIntervalMs } from '../../core/backoff.ts';
import type { FrameCount } from '../../core/health/frames.ts';
import { MAX_SAMPLES, createSample, selectSamplesToDrop } from '../../core/health/samples.ts';
import { EARLIEST_PLAUSIBLE_MS } from '../../core/time/corrected-time.ts';
import type { ServiceDeps } from '../base/service-deps.ts';
import { nowPlaying } from '../base/status.ts';

interface HeartbeatLoopDeps extends Pick<
  ServiceDeps,
  | 'clock'
  | 'random'
  | 'database'
  | 'media'
  | 'telemetry'
  | 'link'
  | 'playerState'
  | 'wakeup'
  | 'playerVersion'
  | 'onUnpaired'
  | 'log'
> {
  shell: string;
  uptimeSeconds(): number;
  /** Version of this runtime's time zone data; undefined: it has none. */
  tzVersion?: string | undefined;
  /** Video frames since the page was opened; null until the page has reported. */
  frames(): FrameCount['total'];
  /** Undefined when they could not be counted. */
  starts(): ReportedState['starts'];
  onCommands(commands: readonly WireCommand[]): void;
  onTargetRevision(revision: string): void;
  /** The cloud is reachable again. */
  onOnline(): void;
}

const DEFAULT_INTERVAL_MS = 60_000;
const SAMPLE_BATCH_SIZE = 500;
/** A heartbeat this soon after another one sends the state without reading the sensors again. */
const MIN_SAMPLE_INTERVAL_MS = 10_000;
/** A new playlist is reported within this time; with jitter, because a rule begins on all screens at once. */
const REPORT_JITTER_MS = 5_000;

/** Sends sensor samples and state to the cloud every minute. Samples that cannot be sent are stored and sent later. */
export function createHeartbeatLoop(deps: HeartbeatLoopDeps) {
  const { clock, database, media, playerState, wakeup, log } = deps;
  let intervalMs = DEFAULT_INTERVAL_MS;
  let hasStoredSamples = true;
  let reportedKey = '';
  let isReportScheduled = false;
  /** The cloud asked for no heartbeat before this monotonic time, even after a wakeup. */
  let notBeforeMonoMs = 0;
  let lastSampleMonoMs = Number.NEGATIVE_INFINITY;
  /** What is on the disk; differs from the player state while a write fails. */
  let storedUpdatesHeld = playerState.fields.updatesHeld;

  async function buildReportedState(): Promise<ReportedState> {
    const usage = await media.usage();
    const { fields } = playerState;
    const frames = deps.frames();
    const starts = deps.starts();
    return {
      player_version: deps.playerVersion,
      shell: deps.shell,
      uptime_seconds: Math.max(0, deps.uptimeSeconds()),
      applied_manifest_revision: fields.heldRevision,
      current: nowPlaying(fields),
      storage: {
        cache_bytes: usage.cacheBytes,
        free_bytes: usage.freeBytes,
        assets_held: media.cachedHashes().size,
        assets_missing: fields.assetsMissing,
      },
      faults: playerState.faults(),
      ...(frames ? { frames } : {}),
      ...(starts ? { starts } : {}),
      ...(deps.tzVersion === undefined ? {} : { tz_version: deps.tzVersion }),
    };
  }

  /** The part of the state that the cloud displays; a change is reported before the next regular heartbeat. */
  const playingKey = () =>
    `${playerState.fields.heldRevision}/${playerState.fields.current?.showing.playlistId}`;

  async function scheduleReport(signal: AbortSignal): Promise<void> {
    if (isReportScheduled || playingKey() === reportedKey) {
      return;
    }
    isReportScheduled = true;
    await clock.sleep(deps.random.next() * REPORT_JITTER_MS, signal);
    isReportScheduled = false;
    if (playingKey() !== reportedKey && playerState.fields.connection === 'online') {
      wakeup.wake();
    }
  }

  async function measure(): Promise<HeartbeatSample | null> {
    // A sample with an implausible time (2013, without a clock battery) is useless.
    if (clock.wallMs() < EARLIEST_PLAUSIBLE_MS) {
      return null;
    }
    if (clock.monoMs() - lastSampleMonoMs < MIN_SAMPLE_INTERVAL_MS) {
      return null;
    }
    lastSampleMonoMs = clock.monoMs();
    return createSample(await deps.telemetry.sample(), clock.wallMs());
  }

  /** Samples are written to disk only while the cloud is unreachable: a successful heartbeat costs no write. */
  function storeSample(sample: HeartbeatSample): void {
    try {
      database.saveSample(sample);
      hasStoredSamples = true;
      const all = database.readSamples(MAX_SAMPLES + 1).map((one) => one.measured_at);
      database.deleteSamples(selectSamplesToDrop(all));
    } catch (error) {
      log.warn({ error: String(error) }, 'heartbeat.save_failed');
    }
  }

  /** False when the disk rejects the deletion: these samples are sent again, and the cloud drops the duplicates. */
  function deleteReportedSamples(reported: readonly HeartbeatSample[]): boolean {
    try {
      if (reported.length > 0) {
        database.deleteSamples(reported.map((one) => one.measured_at));
      }
      return true;
    } catch (error) {
      log.warn({ error: String(error) }, 'heartbeat.delete_failed');
      return false;
    }
  }

  /** Keeps it on the disk as well: without its cloud, a player that restarts goes on to wait for its turn. */
  function setUpdatesHeld(updatesHeld: boolean): void {
    if (playerState.fields.updatesHeld !== updatesHeld) {
      log.info({ held: updatesHeld }, 'updates.held_changed');
      playerState.set({ updatesHeld });
    }
    if (storedUpdatesHeld === updatesHeld) {
      return;
    }
    try {
      database.saveUpdatesHeld(updatesHeld);
      storedUpdatesHeld = updatesHeld;
    } catch (error) {
      // The next heartbeat tries again.
      log.warn({ error: String(error) }, 'updates.held_save_failed');
    }
  }

  /** Sends the stored samples and this one. */
  async function sendHeartbeat(sample: HeartbeatSample | null, signal: AbortSignal): Promise<void> {
    const storedSamples = hasStoredSamples ? database.readSamples(SAMPLE_BATCH_SIZE) : [];
    try {
      const samples = sample ? [...storedSamples, sample] : storedSamples;
      const response = await deps.link.sendHeartbeat({ samples, state: await buildReportedState() }, signal);
      if (response.kind === 'unpaired') {
        deps.onUnpaired();
        return;
      }
      const { manifest_revision, commands, next_heartbeat_in, updates_held } = response.response;
      const forgotten = deleteReportedSamples(storedSamples);
      const more = storedSamples.length === SAMPLE_BATCH_SIZE;
      hasStoredSamples = more || !forgotten;
      const wasAway = playerState.fields.connection !== 'online';
      playerState.cloud.onOnline();
      if (wasAway) {
        deps.onOnline();
      }
      setUpdatesHeld(updates_held === true);
      deps.onTargetRevision(manifest_revision);
      deps.onCommands(commands);
      intervalMs = next_heartbeat_in * 1_000;
      if (more && forgotten) {
        await sendHeartbeat(null, signal);
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof Fault)) {
        throw error;
      }
      if (sample) {
        storeSample(sample);
      }
      log.warn({ code: error.code, ...error.details }, 'heartbeat.send_failed');
      playerState.cloud.onFailure(error);
      if (typeof error.retry === 'object') {
        notBeforeMonoMs = clock.monoMs() + error.retry.afterMs;
      }
    }
  }

  return {
    name: 'heartbeat',
    setInterval(ms: number) {
      intervalMs = ms;
    },
    async run(signal: AbortSignal) {
      const unsubscribe = playerState.onChange(() => void scheduleReport(signal));
      try {
        while (!signal.aborted) {
          const sample = await measure();
          if (signal.aborted) {
            return;
          }
          if (clock.monoMs() >= notBeforeMonoMs) {
            reportedKey = playingKey();
            await sendHeartbeat(sample, signal);
          } else if (sample) {
            storeSample(sample);
          }
          await wakeup.wait(jitteredIntervalMs(intervalMs, deps.random.next()), signal);
        }
      } finally {
        unsubscribe();
      }
    },
  };
}
