import { playbackWaitMs } from '../../src/core/playback/decide.ts';
import { stepPlayback } from '../../src/core/playback/playback.ts';
import type { PlayDraft } from '../../src/core/playback/plays.ts';
import { programmeOf } from '../../src/core/playback/programme.ts';
import {
  bootPlayback,
  type PlaybackEffect,
  type PlaybackEvent,
  type PlaybackState,
} from '../../src/core/playback/state.ts';
import type { StageReport } from '../../src/core/playback/stage.ts';
import { hashOf, sketchManifest, type ManifestSketch } from './manifests.ts';

export const START = Date.UTC(2026, 10, 20, 12, 0, 0);

/** Drives the machine by hand and collects what it orders. */
export function machine(options: { state?: PlaybackState; atMs?: number } = {}) {
  let monoMs = options.atMs ?? 0;
  let plays = options.state ? 100 : 0;
  const now = () => ({ wallMs: START + monoMs, monoMs, playId: `play_${++plays}`, guessed: false });
  let state =
    options.state ??
    bootPlayback(
      {
        unfinished: { prepared: null, superseded: [], open: [] },
        positions: {},
        bootId: 'boot-1',
        aliveMs: 0,
      },
      now(),
    ).state;
  const effects: PlaybackEffect[] = [];
  const send = (event: PlaybackEvent) => {
    const [next, more] = stepPlayback(state, event, now());
    state = next;
    effects.push(...more);
    return more;
  };
  const self = {
    get state() {
      return state;
    },
    send,
    stage: (report: StageReport) => send({ kind: 'stage', report }),
    hello: (current: { id: string; agoMs: number } | null = null, prepared: string | null = null) =>
      send({ kind: 'stage', report: { type: 'hello', current, prepared } }),
    wait(ms: number) {
      monoMs += ms;
      return send({ kind: 'tick' });
    },
    at: () => monoMs,
    waitMs: () => playbackWaitMs(state, now()),
    hold(sketch: ManifestSketch, missing: string[] = []) {
      const manifest = sketchManifest(sketch);
      send({ kind: 'programme', programme: programmeOf(manifest), deviceId: 'dev_1' });
      return send({
        kind: 'media',
        held: new Set(
          manifest.assets.filter((one) => !missing.includes(one.id.slice(6))).map((one) => one.sha256),
        ),
      });
    },
    /** The page makes ready what is prepared and cuts to it. */
    show() {
      const { prepared, current } = state;
      if (!prepared) throw new Error('nothing is prepared');
      const { id } = prepared.draft;
      self.stage({ type: 'ready', id });
      if (current && !current.through) {
        const shownMs = monoMs - current.startedMono;
        self.stage({
          type: 'ended',
          id: current.draft.id,
          agoMs: 0,
          shownMs,
          outcome: 'completed',
          reason: null,
        });
      }
      self.stage({ type: 'started', id, agoMs: 0 });
      return id;
    },
    /** Name of the item that is on the screen, and of the one that is prepared. */
    names: () => [
      state.current?.draft.itemId.split('/')[1] ?? null,
      state.prepared?.draft.itemId.split('/')[1] ?? null,
    ],
    take: () => effects.splice(0),
  };
  return self;
}

export const draftOf = (id: string, name: string): PlayDraft => ({
  id,
  playlistId: 'pl',
  itemId: `pl/${name}`,
  contentId: `asset_${name}`,
  sha256: hashOf(name),
  scheduleId: null,
  ruleId: null,
  kind: 'image',
  durationMs: 10_000,
  videoEndMs: null,
});

export const orders = (effects: PlaybackEffect[]) =>
  effects.flatMap((effect) => (effect.kind === 'order' ? [effect.order] : []));
export const ends = (effects: PlaybackEffect[]) =>
  effects.flatMap((effect) => (effect.kind === 'ended' ? [effect] : []));

/** Shows items until the clock stands at this many milliseconds. */
export const playUntil = (m: ReturnType<typeof machine>, untilMs: number) => {
  while (m.at() + 10_000 <= untilMs) {
    m.wait(10_000);
    if (m.state.prepared?.cut !== 'on_command') m.show();
  }
  m.wait(untilMs - m.at());
};

export const ABC: ManifestSketch = { playlists: { pl: ['a', 'b', 'c'] } };
