import { makeId } from '@placard/protocol';
import type { FaultCode } from '@placard/protocol';
import { playbackWaitMs } from '../../core/playback/decide.ts';
import { hasSomethingToShow, shiftUnconfirmedTimes, stepPlayback } from '../../core/playback/playback.ts';
import type { CompiledManifest } from '../../core/playback/compiled-manifest.ts';
import { restorePlayback } from '../../core/playback/restore-playback.ts';
import type { PlaybackEffect, PlaybackEvent, PlaybackState } from '../../core/playback/playback-state.ts';
import type { StageReport } from '@placard/protocol/stage';
import type { ServiceDeps } from '../base/service-deps.ts';
import { createPlayWriter } from './play-writer.ts';

interface PlaybackLoopDeps extends Pick<
  ServiceDeps,
  'clock' | 'random' | 'database' | 'playerState' | 'wakeup' | 'stage' | 'log'
> {
  /** Changes with every boot of the operating system. */
  bootId: string;
  /** This file could not be shown: verify it again. */
  onUnplayableMedia(sha256: string): void;
}

/** Lower bound of the loop's wait, so that it never spins. */
const SHORTEST_WAIT_MS = 5;
/** A day of 10 s pictures at three entries each, about 10 MB, while the disk is full. */
const MAX_QUEUED_WRITES = 30_000;

/** Runs the playback state machine: stage reports and ticks go in; stage commands and database writes come out. */
export function createPlaybackLoop(deps: PlaybackLoopDeps) {
  const { clock, database, playerState, wakeup, log } = deps;
  const now = () => ({
    wallMs: clock.wallMs(),
    monoMs: clock.monoMs(),
    playId: makeId('play', clock.wallMs(), deps.random.bytes(16)),
    isTimeUnconfirmed: !clock.isTimeConfirmed,
  });
  const unconfirmedBootIdOf = (isTimeUnconfirmed: boolean) => (isTimeUnconfirmed ? deps.bootId : null);
  const restored = restorePlayback(
    {
      unfinishedPlays: database.readUnfinishedPlays(),
      positions: database.readPositions(),
      bootId: deps.bootId,
      // Lost with a damaged database; then the duration of an interrupted play is unknown.
      lastAliveAtMs: database.readLastGoodTime() ?? 0,
    },
    now(),
  );
  const writer = createPlayWriter({ clock, database, playerState, maxQueued: MAX_QUEUED_WRITES, log });
  let state: PlaybackState = restored.state;
  /** The connected page and the last sequence number received from it. */
  let lastPageEvent = { pageId: '', seq: 0 };
  /** The clock is confirmed, and all earlier dates have been corrected. */
  let areDatesCorrected = false;
  // Discards adjustments made before this start: the clock's time already includes them.
  clock.takeAdjustmentMs();
  for (const effect of restored.effects) {
    perform(effect);
  }

  function dispatch(event: PlaybackEvent): void {
    apply(event);
    wakeup.wake();
  }

  function apply(event: PlaybackEvent): void {
    const at = now();
    if (!areDatesCorrected) {
      correctDates();
    }
    const [next, effects] = stepPlayback(state, event, at);
    state = next;
    for (const effect of effects) {
      perform(effect);
    }
    publishState();
  }

  /** Corrects the dates recorded during this boot, when the clock turns out to have been wrong. */
  function correctDates(): void {
    const offsetMs = clock.takeAdjustmentMs();
    const isConfirmed = clock.isTimeConfirmed;
    if (offsetMs === 0 && !isConfirmed) {
      return;
    }
    areDatesCorrected = isConfirmed;
    state = shiftUnconfirmedTimes(state, offsetMs, isConfirmed);
    if (offsetMs !== 0) {
      log.warn({ by_ms: offsetMs }, 'plays.redated');
    }
    const write = () => database.shiftUnconfirmedPlays(deps.bootId, offsetMs, isConfirmed);
    writer.write({ kind: 'times_shifted', playId: null, write });
  }

  function perform(effect: PlaybackEffect): void {
    switch (effect.kind) {
      case 'stage_command':
        deps.stage.send(effect.command);
        break;
      case 'prepared': {
        const { showing, position } = effect;
        const write = () => database.savePreparedShowing(showing, position);
        writer.write({ kind: 'prepared', playId: showing.id, write });
        break;
      }
      case 'preparation_dropped': {
        const write = () => database.savePreparedShowing(null, effect.position);
        writer.write({ kind: 'prepared', playId: null, write });
        break;
      }
      case 'started': {
        const { showing, startedAtMs, isTimeUnconfirmed } = effect;
        log.info({ play: showing.id, content_id: showing.contentId }, 'play.started');
        const write = () =>
          database.savePlayStart(showing, startedAtMs, unconfirmedBootIdOf(isTimeUnconfirmed));
        writer.write({ kind: 'started', playId: showing.id, write });
        break;
      }
      case 'ended': {
        const { showing, startedAtMs, end, isTimeUnconfirmed } = effect;
        log.info({ play: showing.id, ...end }, 'play.ended');
        const write = () =>
          database.savePlayEnd(showing, startedAtMs, end, unconfirmedBootIdOf(isTimeUnconfirmed));
        writer.write({ kind: 'ended', playId: showing.id, write });
        break;
      }
      case 'play_lost':
        log.error({}, 'play.lost');
        writer.countLostPlay();
        break;
      case 'recheck_media':
        log.warn({ sha256: effect.sha256, reason: effect.reason }, 'play.failed');
        deps.onUnplayableMedia(effect.sha256);
        break;
    }
  }

  function publishState(): void {
    const { failures, nothingPlayable, current, prepared, activePlaylist, hasPicture } = state;
    playerState.set({
      activePlaylist,
      // A play that an earlier run left open is on the screen only once the page has confirmed it.
      current: hasPicture ? current : null,
      next: prepared?.showing ?? null,
      isNextReady: prepared?.isReady ?? false,
      hasSomethingToShow: hasSomethingToShow(state),
    });
    const failed = Object.values(failures);
    reportFailures('playback.stalled', failed.filter(isStall));
    reportFailures(
      'playback.decode_failed',
      failed.filter((failure) => !isStall(failure)),
    );
    playerState.setFault(
      'playback.nothing_playable',
      nothingPlayable ? { playlist_id: activePlaylist?.playlistId } : null,
    );
  }

  function reportFailures(code: FaultCode, failures: { contentId: string }[]): void {
    const contentIds = failures.slice(0, 10).map((failure) => failure.contentId);
    playerState.setFault(code, contentIds.length === 0 ? null : { content_ids: contentIds });
  }

  /** Acknowledges only what is on disk: the page repeats the rest to the next process. */
  function acknowledge(): void {
    if (writer.isFlushed && lastPageEvent.seq > 0) {
      deps.stage.send({ type: 'ack', seq: lastPageEvent.seq });
    }
  }

  return {
    name: 'playback',
    /** Sets the manifest to play; null when this player is not paired. */
    setManifest(compiledManifest: CompiledManifest | null, deviceId: string) {
      dispatch({ kind: 'manifest_applied', compiledManifest, deviceId });
      if (!compiledManifest) {
        writer.discard();
      }
    },
    onCachedMediaChange: (cached: ReadonlySet<string>) => dispatch({ kind: 'media_changed', cached }),
    /** The pairing confirmation covers the stage until this monotonic time: the first showing waits for it. */
    holdStartUntil: (untilMonoMs: number) => dispatch({ kind: 'start_hold', untilMonoMs }),
    /** Safe mode: no videos. */
    setImagesOnly: (on: boolean) => dispatch({ kind: 'images_only', enabled: on }),
    onPageGone: () => dispatch({ kind: 'page_gone' }),
    onStageMessage(message: StageReport) {
      if (message.type === 'hello' && message.page_id !== lastPageEvent.pageId) {
        lastPageEvent = { pageId: message.page_id, seq: 0 };
      }
      const seq = 'seq' in message ? message.seq : undefined;
      // A reconnected page repeats what was not acknowledged.
      if (seq === undefined || seq > lastPageEvent.seq) {
        if (message.type === 'failed') {
          const { showing_id: play, reason, detail } = message;
          log.warn({ play, reason, detail }, 'showing.prepare_failed');
        }
        dispatch({ kind: 'stage_report', report: message });
      }
      if (seq === undefined) {
        return;
      }
      lastPageEvent.seq = Math.max(lastPageEvent.seq, seq);
      acknowledge();
    },
    async run(signal: AbortSignal) {
      while (!signal.aborted) {
        const waitMs = playbackWaitMs(state, { wallMs: clock.wallMs(), monoMs: clock.monoMs() });
        await wakeup.wait(Math.max(SHORTEST_WAIT_MS, waitMs), signal);
        if (signal.aborted) {
          return;
        }
        const hadQueuedWrites = !writer.isFlushed;
        writer.flush();
        if (hadQueuedWrites) {
          acknowledge();
        }
        apply({ kind: 'tick' });
      }
    },
  };
}

const isStall = (failure: { reason: string }) => failure.reason === 'stalled' || failure.reason === 'timeout';
