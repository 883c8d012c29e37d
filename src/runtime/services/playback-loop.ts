import { makeId, type FaultCode } from '@placard/protocol';
import { playbackWaitMs } from '../../core/playback/decide.ts';
import { isFilled, redate, stepPlayback } from '../../core/playback/playback.ts';
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
import { createPlayWriter } from './play-writer.ts';

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

/** What the page says of the stage. */
type StageMessage = Exclude<FromStage, { type: 'menu_request' | 'capabilities' }>;

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
/** A day of pictures of ten seconds that a full disk did not take, at three entries each, in about 10 MB. */
const MOST_OWED = 30_000;

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
      // Forgotten with a damaged database: then nobody knows for how long anything was on.
      aliveMs: store.readLastGoodTime() ?? 0,
    },
    now(),
  );
  const writer = createPlayWriter({ clock, store, board, mostOwed: MOST_OWED, log });
  let state: PlaybackState = booted.state;
  /** The page that speaks, and the last of its numbered messages. */
  let heard = { pageId: '', seq: 0 };
  /** The clock is right, and so is what it said before. */
  let dated = false;
  // What the clock was set by before this began is in what it says.
  clock.takeStep();
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
    if (byMs === 0 && !right) return;
    dated = right;
    state = redate(state, byMs, right);
    if (byMs !== 0) log.warn({ by_ms: byMs }, 'plays.redated');
    const write = () => store.correctPlays(deps.bootId, byMs, right);
    writer.write({ kind: 'redated', play: null, write });
  }

  function perform(effect: PlaybackEffect): void {
    switch (effect.kind) {
      case 'order':
        deps.stage.send(effect.order);
        break;
      case 'prepared': {
        const { draft, position } = effect;
        const write = () => store.playPrepared(draft, position);
        writer.write({ kind: 'prepared', play: draft.id, write });
        break;
      }
      case 'unprepared': {
        const write = () => store.playPrepared(null, effect.position);
        writer.write({ kind: 'prepared', play: null, write });
        break;
      }
      case 'started': {
        const { draft, startedAtMs, guessed } = effect;
        log.info({ play: draft.id, content_id: draft.contentId }, 'play.started');
        const write = () => store.playStarted(draft, startedAtMs, guessOf(guessed));
        writer.write({ kind: 'started', play: draft.id, write });
        break;
      }
      case 'ended': {
        const { draft, startedAtMs, end, guessed } = effect;
        log.info({ play: draft.id, ...end }, 'play.ended');
        const write = () => store.playEnded(draft, startedAtMs, end, guessOf(guessed));
        writer.write({ kind: 'ended', play: draft.id, write });
        break;
      }
      case 'lost':
        log.error({}, 'play.lost');
        writer.countLost();
        break;
      case 'suspect':
        log.warn({ sha256: effect.sha256, reason: effect.reason }, 'play.failed');
        deps.onSuspect(effect.sha256);
        break;
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
      onStage: isFilled(state),
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

  /** What the page would tell again to the next process has to be unknown to the disk. */
  function acknowledge(): void {
    if (writer.settled && heard.seq > 0) deps.stage.send({ type: 'ack', seq: heard.seq });
  }

  return {
    name: 'playback',
    hold(programme, deviceId) {
      dispatch({ kind: 'programme', programme, deviceId });
      if (!programme) writer.forget();
    },
    mediaChanged: (held) => dispatch({ kind: 'media', held }),
    waitUntil: (untilMono) => dispatch({ kind: 'curtain', untilMono }),
    imagesOnly: (on) => dispatch({ kind: 'images_only', on }),
    pageGone: () => dispatch({ kind: 'page_gone' }),
    fromStage(message) {
      if (message.type === 'hello' && message.page_id !== heard.pageId) {
        heard = { pageId: message.page_id, seq: 0 };
      }
      const seq = 'seq' in message ? message.seq : undefined;
      const event = eventOf(message);
      // A page that comes back tells again what was not acknowledged.
      if (event && (seq === undefined || seq > heard.seq)) dispatch(event);
      if (seq === undefined) return;
      heard.seq = Math.max(heard.seq, seq);
      acknowledge();
    },
    async run(signal) {
      while (!signal.aborted) {
        const waitMs = playbackWaitMs(state, { wallMs: clock.wall(), monoMs: clock.mono() });
        await bell.wait(Math.max(SHORTEST_WAIT_MS, waitMs), signal);
        if (signal.aborted) return;
        const owed = !writer.settled;
        writer.retry();
        if (owed) acknowledge();
        apply({ kind: 'tick' });
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
