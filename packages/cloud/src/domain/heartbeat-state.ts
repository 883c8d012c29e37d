import type { HeartbeatRequest, NowPlaying, ReportedFault } from '@placard/protocol';
import { healthAfter } from './device-health.ts';
import { DAY_MS } from './durations.ts';
import type { RecordedEvent } from './events.ts';
import { isPlausible, truncateFaultDetails } from './device-report.ts';
import { clockOffset, latestSample, newestOf, toDatedSample } from './latest-sample.ts';
import type { DatedSample } from './latest-sample.ts';

/** Samples further from now than this come from a wrong clock and are ignored. */
const MAX_SAMPLE_AGE_MS = 2 * 366 * DAY_MS;

/** What the device shows now, and since when it has shown that playlist. */
export type CurrentPlay = NowPlaying & { playlist_since: string };

/** The stored state of a device that a heartbeat changes; JSON texts as in the table `device_live`. */
export interface LiveState {
  last_heartbeat: number | null;
  current: string | null;
  faults: string | null;
  latest_sample: string | null;
  health: string | null;
}

/** What a heartbeat needs to know of the one before. */
export interface PreviousReport {
  lastHeartbeatMs: number | null;
  shown: ShownPlaylist | null;
  /** JSON, as it is stored. */
  faults: string | null;
  latestSampleMs: number | null;
  /** The column `health`. */
  health: string | null;
}
type ShownPlaylist = Pick<CurrentPlay, 'playlist_id' | 'schedule_id' | 'rule_id' | 'playlist_since'>;

const shownIn = ({ playlist_id, schedule_id, rule_id, playlist_since }: CurrentPlay): ShownPlaylist => ({
  playlist_id,
  schedule_id,
  rule_id,
  playlist_since,
});

/** Reads it from the stored state. */
export function previousReport(stored: LiveState): PreviousReport {
  const { last_heartbeat, current, faults, latest_sample, health } = stored;
  return {
    lastHeartbeatMs: last_heartbeat,
    shown: current === null ? null : shownIn(JSON.parse(current)),
    faults,
    latestSampleMs: latest_sample === null ? null : toDatedSample(JSON.parse(latest_sample)).atMs,
    health,
  };
}

/** What a heartbeat changes. */
export interface HeartbeatEffect {
  /** The plausible samples. */
  samples: readonly DatedSample[];
  /** Faults that the previous heartbeat did not report. */
  newFaults: readonly ReportedFault[];
  /** What the device shows from now on, when its playlist or the rule for it has changed; otherwise undefined. */
  nowPlaying: NowPlaying | null | undefined;
  /** Columns of `device_live`; a column that is left out keeps its value. */
  live: {
    last_seen: number;
    last_heartbeat: number;
    applied_manifest_revision: string | null;
    current: string | null;
    storage: string;
    frames: string | null;
    tz_version: string | null;
    faults: string;
    health?: string;
    latest_sample?: string;
    clock_offset_ms?: number;
  };
  /** For the next heartbeat. */
  report: PreviousReport;
}

/** Computes what a heartbeat that arrived at `nowMs` changes in the state of its device. */
export function applyHeartbeat(
  previous: PreviousReport,
  { samples: sentSamples, state }: HeartbeatRequest,
  nowMs: number,
): HeartbeatEffect {
  const sent = sentSamples.map(toDatedSample);
  const samples = sent.filter(({ atMs }) => atMs > nowMs - MAX_SAMPLE_AGE_MS && isPlausible(atMs, nowMs));
  const latest = latestSample(previous.latestSampleMs, samples, nowMs);
  // Samples of a wrong clock are not stored, but its offset is shown to the operator.
  const newest = newestOf(samples.length > 0 ? samples : sent);
  const offsetMs =
    newest &&
    clockOffset({
      newestSampleMs: newest.atMs,
      isPlausible: samples.length > 0,
      previousSampleMs: previous.latestSampleMs,
      lastHeartbeatMs: previous.lastHeartbeatMs,
      nowMs,
    });
  const shown = shownAfter(previous.shown, state.current);
  const current = state.current && { ...state.current, playlist_since: shown?.playlist_since };
  const faults = truncateFaultDetails(state.faults);
  const faultsJson = JSON.stringify(faults);
  const newFaults = faultsJson === previous.faults ? [] : faultsSince(previous.faults, faults);
  const health = healthAfter(previous.health, previous.lastHeartbeatMs, state, newFaults.length, nowMs);
  return {
    samples,
    nowPlaying: isSameShow(previous.shown, state.current) ? undefined : state.current,
    newFaults,
    live: {
      last_seen: nowMs,
      last_heartbeat: nowMs,
      applied_manifest_revision: state.applied_manifest_revision,
      current: current ? JSON.stringify(current) : null,
      storage: JSON.stringify(state.storage),
      frames: state.frames ? JSON.stringify(state.frames) : null,
      tz_version: state.tz_version ?? null,
      faults: faultsJson,
      ...(health === undefined ? {} : { health }),
      ...(latest ? { latest_sample: JSON.stringify(latest.sample) } : {}),
      ...(offsetMs === null ? {} : { clock_offset_ms: offsetMs }),
    },
    report: {
      lastHeartbeatMs: nowMs,
      shown,
      // The text that is known already, if it is the same: it may be kept for long.
      faults: faultsJson === previous.faults ? previous.faults : faultsJson,
      latestSampleMs: latest ? latest.atMs : previous.latestSampleMs,
      health: health ?? previous.health,
    },
  };
}

/** `before` itself if nothing of it has changed. */
function shownAfter(before: ShownPlaylist | null, current: NowPlaying | null): ShownPlaylist | null {
  if (!current) {
    return null;
  }
  const isSamePlaylist = before?.playlist_id === current.playlist_id;
  const playlist_since = (isSamePlaylist && before.playlist_since) || current.since;
  return before?.playlist_since === playlist_since && isSameShow(before, current)
    ? before
    : shownIn({ ...current, playlist_since });
}

/** Those whose codes were not reported before. */
function faultsSince(previous: string | null, faults: readonly ReportedFault[]): ReportedFault[] {
  const before: ReportedFault[] = previous === null ? [] : JSON.parse(previous);
  const codes = new Set(before.map((fault) => fault.code));
  return faults.filter((fault) => !codes.has(fault.code));
}

const isSameShow = (before: ShownPlaylist | null, after: NowPlaying | null): boolean =>
  before?.playlist_id === after?.playlist_id &&
  (before?.schedule_id ?? null) === (after?.schedule_id ?? null) &&
  (before?.rule_id ?? null) === (after?.rule_id ?? null);

/** The event that a device shows something else. */
export const nowPlayingEvent = (deviceId: string, nowPlaying: NowPlaying | null) =>
  ({
    type: 'device.now_playing',
    resource: deviceId,
    data: {
      device_id: deviceId,
      now_playing: nowPlaying && {
        playlist_id: nowPlaying.playlist_id,
        schedule_id: nowPlaying.schedule_id ?? null,
        rule_id: nowPlaying.rule_id ?? null,
        content_id: nowPlaying.content_id,
        since: nowPlaying.since,
      },
    },
  }) satisfies RecordedEvent;
