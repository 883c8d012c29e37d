import type { OrderPosition } from '@placard/schedule';
import { endedEffect } from './apply-stage-report.ts';
import type { PlaybackNow, PlaybackState } from './playback-state.ts';
import { OVERDUE_MS, expectedMs } from './plays.ts';
import type { OpenPlay, PlayEnd, UnfinishedPlays } from './plays.ts';

/** State of the previous run, from disk. */
export interface StoredPlayback {
  unfinishedPlays: UnfinishedPlays;
  positions: Readonly<Record<string, OrderPosition>>;
  bootId: string;
  /** The last instant at which the player was known to run. */
  lastAliveAtMs: number;
}

/** The initial state. A play that an earlier run left open stays open until the page has sent `hello`. */
export function restorePlayback(stored: StoredPlayback, now: PlaybackNow) {
  const { open, prepared } = stored.unfinishedPlays;
  const last = open.at(-1);
  const isUnconfirmed = (play: OpenPlay) => play.unconfirmedBootId === stored.bootId;
  const effects = open.slice(0, -1).map((play, index) => {
    const end = endBeforeNext(play, open[index + 1]?.startedAtMs ?? play.startedAtMs);
    return endedEffect({ ...play, isTimeUnconfirmed: isUnconfirmed(play) }, end);
  });
  const state: PlaybackState = {
    deviceId: '',
    compiledManifest: null,
    cachedMedia: new Set(),
    activePlaylist: null,
    activeCheckedAtMs: 0,
    positions: stored.positions,
    isPageConnected: false,
    hasPicture: false,
    current: last
      ? {
          showing: last.showing,
          startedAtMs: last.startedAtMs,
          startedAtMonoMs: now.monoMs - Math.max(0, now.wallMs - last.startedAtMs),
          isTimeUnconfirmed: isUnconfirmed(last),
          finished: false,
        }
      : null,
    outgoing: null,
    prepared: prepared
      ? {
          showing: prepared,
          cut: 'after_current',
          isReady: false,
          isSent: false,
          sentAtMonoMs: now.monoMs,
          positionBefore: null,
        }
      : null,
    superseded: stored.unfinishedPlays.superseded.map((showing) => ({ showing, position: undefined })),
    failures: {},
    nothingPlayable: false,
    startHoldUntilMonoMs: null,
    imagesOnly: false,
    lastAliveAtMs: stored.lastAliveAtMs,
    processStartedAtMonoMs: now.monoMs,
  };
  return { state, effects };
}

/**
 * The end of an open play with a newer play after it: the crash happened during a transition, and it ended when the
 * newer one started. If more time passed than its duration, other plays came between, and only its start is known.
 */
function endBeforeNext(play: OpenPlay, nextMs: number): PlayEnd {
  const betweenMs = Math.max(0, nextMs - play.startedAtMs);
  const expected = expectedMs(play.showing) ?? betweenMs;
  const durationMs = betweenMs > expected + OVERDUE_MS ? 0 : betweenMs;
  const completed = durationMs >= expected - OVERDUE_MS;
  return {
    endedAtMs: play.startedAtMs + durationMs,
    durationMs,
    outcome: completed ? 'completed' : 'interrupted',
    reason: completed ? null : durationMs === 0 ? 'power_lost' : 'replaced',
  };
}
