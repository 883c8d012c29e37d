import { Fault, makeId, type FaultCode } from '@placard/protocol';
import { playbackWaitMs } from '../../core/playback/decide.ts';
import { redate, stepPlayback } from '../../core/playback/playback.ts';
import type { Programme } from '../../core/playback/programme.ts';
import {
  bootPlayback,
  type PlaybackEffect,
  type PlaybackEvent,
  type PlaybackState,
} from '../../core/playback/state.ts';
import type { Clock, Log, Random, Store } from '../../core/ports.ts';
import type { FromStage, ToStage } from '../../stage-link/messages.ts';
import type { Bell } from '../bell.ts';
import type { Board } from '../board.ts';
import type { Service } from '../supervisor.ts';

export interface PlaybackLoopDeps {
  clock: Clock;
  random: Random;
  store: Store;
  board: Board;
  bell: Bell;
  /** Changes with every boot of the operating system. */
  bootId: string;
  stage: { send(message: ToStage): void };
  /** These bytes could not be shown: look at them again. */
  onSuspect(sha256: string): void;
  log: Log;
}

/** All that the page says but what is asked by a person. */
type StageMessage = Exclude<FromStage, { type: 'menu_request' }>;

export interface PlaybackLoop extends Service {
  /** What is played by from now on; null when this player is not paired. */
  hold(programme: Programme | null, deviceId: string): void;
  readonly mediaChanged: (held: ReadonlySet<string>) => void;
  /** A message covers the stage until this instant of the monotonic clock: the first picture waits for it. */
  readonly waitUntil: (untilMono: number) => void;
  /** Safe mode: no videos. */
  imagesOnly(on: boolean): void;
  fromStage(message: StageMessage): void;
  pageGone(): void;
}

/** However soon the machine wants to look again, the loop breathes. */
const SHORTEST_WAIT_MS = 5;
const WRITE_FAULTS: readonly FaultCode[] = ['disk.full', 'disk.readonly'];

/** Drives the playback machine: reports and time go in, orders to the page and rows on disk come out. */
export function createPlaybackLoop(deps: PlaybackLoopDeps): PlaybackLoop {
  const { clock, store, board, bell, log } = deps;
  const now = () => ({
    wallMs: clock.wall(),
    monoMs: clock.mono(),
    playId: makeId('play', clock.wall(), deps.random.bytes(16)),
    guessed: !clock.confirmed,
  });
  const guessOf = (guessed: boolean) => (guessed ? deps.bootId : null);
  const booted = bootPlayback(
    {
      unfinished: store.unfinishedPlays(),
      positions: store.readPositions(),
      bootId: deps.bootId,
      aliveMs: store.readLastGoodTime() ?? clock.wall(),
    },
    now(),
  );
  let state: PlaybackState = booted.state;
  let writesFail = false;
  /** Something that the page has told could not be written down. */
  let lost = false;
  /** The clock is right, and so is what it said before. */
  let dated = false;
  // What the clock was set by before this began is in what it says.
  clock.takeStep();
  let owedMs = 0;
  for (const effect of booted.effects) perform(effect);

  function dispatch(event: PlaybackEvent): void {
    apply(event);
    bell.ring();
  }

  function apply(event: PlaybackEvent): void {
    const at = now();
    if (!dated) correctDates();
    const [next, effects] = stepPlayback(state, event, at);
    state = next;
    for (const effect of effects) perform(effect);
    tell();
  }

  /** What was dated by a clock that turns out to be wrong is dated anew, as long as it is the same boot. */
  function correctDates(): void {
    const byMs = clock.takeStep();
    const right = clock.confirmed;
    if (byMs === 0 && owedMs === 0 && !right) return;
    state = redate(state, byMs, right);
    owedMs += byMs;
    write(() => {
      store.correctPlays(deps.bootId, owedMs, right);
      if (owedMs !== 0) log.warn({ by_ms: owedMs }, 'plays.redated');
      owedMs = 0;
      dated = right;
    });
  }

  function perform(effect: PlaybackEffect): void {
    switch (effect.kind) {
      case 'order':
        deps.stage.send(effect.order);
        break;
      case 'prepared':
        write(() => store.playPrepared(effect.draft, effect.position));
        break;
      case 'unprepared':
        write(() => store.playPrepared(null, effect.position));
        break;
      case 'started':
        log.info({ play: effect.draft.id, content_id: effect.draft.contentId }, 'play.started');
        write(() => store.playStarted(effect.draft, effect.startedAtMs, guessOf(effect.guessed)));
        break;
      case 'ended':
        log.info({ play: effect.draft.id, ...effect.end }, 'play.ended');
        write(() => store.playEnded(effect.draft, effect.startedAtMs, effect.end, guessOf(effect.guessed)));
        break;
      case 'suspect':
        log.warn({ sha256: effect.sha256, reason: effect.reason }, 'play.failed');
        deps.onSuspect(effect.sha256);
        break;
    }
  }

  /** The picture goes on whatever the disk says: a row that cannot be written is told, and missed. */
  function write(act: () => void): void {
    try {
      act();
      if (writesFail) board.clear(...WRITE_FAULTS);
      writesFail = false;
    } catch (error) {
      writesFail = lost = true;
      log.error({ error: String(error) }, 'play.not_written');
      if (error instanceof Fault) board.raise(error.code, error.facts);
    }
  }

  function tell(): void {
    const { failures, starved, current, prepared, active, picture } = state;
    board.set({
      active,
      // What an earlier run left open is on the screen only once the page has said so.
      current: picture ? current : null,
      next: prepared?.draft ?? null,
      nextReady: prepared?.ready ?? false,
      onStage: picture || prepared !== null,
    });
    const failed = Object.values(failures);
    tellFailed('playback.stalled', failed.filter(isStall));
    tellFailed(
      'playback.decode_failed',
      failed.filter((failure) => !isStall(failure)),
    );
    if (starved) board.raise('playback.nothing_playable', { playlist_id: active?.playlistId });
    else board.clear('playback.nothing_playable');
  }

  function tellFailed(code: FaultCode, failures: { contentId: string }[]): void {
    if (failures.length === 0) board.clear(code);
    else board.raise(code, { content_ids: failures.slice(0, 10).map((failure) => failure.contentId) });
  }

  return {
    name: 'playback',
    hold: (programme, deviceId) => dispatch({ kind: 'programme', programme, deviceId }),
    mediaChanged: (held) => dispatch({ kind: 'media', held }),
    waitUntil: (untilMono) => dispatch({ kind: 'curtain', untilMono }),
    imagesOnly: (on) => dispatch({ kind: 'images_only', on }),
    pageGone: () => dispatch({ kind: 'page_gone' }),
    fromStage(message) {
      // A page that comes back tells again what was not acknowledged.
      if (message.type === 'hello') lost = false;
      const event = eventOf(message);
      if (event) dispatch(event);
      if ('seq' in message && message.seq !== undefined && !lost)
        deps.stage.send({ type: 'ack', seq: message.seq });
    },
    async run(signal) {
      while (!signal.aborted) {
        const waitMs = playbackWaitMs(state, { wallMs: clock.wall(), monoMs: clock.mono() });
        await bell.wait(Math.max(SHORTEST_WAIT_MS, waitMs), signal);
        if (!signal.aborted) apply({ kind: 'tick' });
      }
    },
  };
}

const isStall = (failure: { reason: string }) => failure.reason === 'stalled' || failure.reason === 'timeout';

function eventOf(message: StageMessage): PlaybackEvent | null {
  switch (message.type) {
    case 'hello': {
      const current = message.current && { id: message.current.showing_id, agoMs: message.current.ago_ms };
      return { kind: 'stage', report: { type: 'hello', current, prepared: message.prepared } };
    }
    case 'ready':
      return { kind: 'stage', report: { type: 'ready', id: message.showing_id } };
    case 'started':
      return { kind: 'stage', report: { type: 'started', id: message.showing_id, agoMs: message.ago_ms } };
    case 'ended':
      return {
        kind: 'stage',
        report: {
          type: 'ended',
          id: message.showing_id,
          agoMs: message.ago_ms,
          shownMs: message.shown_ms,
          outcome: message.outcome,
          reason: message.reason,
        },
      };
    case 'failed':
      return { kind: 'stage', report: { type: 'failed', id: message.showing_id, reason: message.reason } };
    case 'beat':
      return { kind: 'beat' };
  }
  return message satisfies never;
}
