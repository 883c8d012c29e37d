import { STAGE_PROTOCOL } from '@placard/protocol/stage';
import type { StageReport } from '@placard/protocol/stage';
import { playbackWaitMs } from '../../src/core/playback/decide.ts';
import { stepPlayback } from '../../src/core/playback/playback.ts';
import type { Showing } from '../../src/core/playback/plays.ts';
import { compileManifest } from '../../src/core/playback/compiled-manifest.ts';
import { restorePlayback } from '../../src/core/playback/restore-playback.ts';
import type { PlaybackEffect, PlaybackEvent, PlaybackState } from '../../src/core/playback/playback-state.ts';
import { sha256Of, buildManifest } from './manifests.ts';
import type { ManifestSpec } from './manifests.ts';

export const START_MS = Date.UTC(2026, 10, 20, 12, 0, 0);

/** Drives the playback state machine by hand and collects its commands. */
export function createPlaybackDriver(options: { state?: PlaybackState; atMs?: number } = {}) {
  let monoMs = options.atMs ?? 0;
  let playCount = options.state ? 100 : 0;
  const now = () => ({
    wallMs: START_MS + monoMs,
    monoMs,
    playId: `play_${++playCount}`,
    isTimeUnconfirmed: false,
  });
  let state =
    options.state ??
    restorePlayback(
      {
        unfinishedPlays: { prepared: null, superseded: [], open: [] },
        positions: {},
        bootId: 'boot-1',
        lastAliveAtMs: 0,
      },
      now(),
    ).state;
  const effects: PlaybackEffect[] = [];
  const send = (event: PlaybackEvent) => {
    const [next, newEffects] = stepPlayback(state, event, now());
    state = next;
    effects.push(...newEffects);
    return newEffects;
  };
  const driver = {
    get state() {
      return state;
    },
    send,
    reportFromStage: (report: StageReport) => send({ kind: 'stage_report', report }),
    hello: (current: { showing_id: string; ago_ms: number } | null = null) =>
      driver.reportFromStage({
        type: 'hello',
        protocol: STAGE_PROTOCOL,
        page_id: 'page_1',
        current,
      }),
    advance(ms: number) {
      monoMs += ms;
      return send({ kind: 'tick' });
    },
    elapsedMs: () => monoMs,
    waitMs: () => playbackWaitMs(state, now()),
    setManifest(spec: ManifestSpec, missing: string[] = []) {
      const manifest = buildManifest(spec);
      send({ kind: 'manifest_applied', compiledManifest: compileManifest(manifest), deviceId: 'dev_1' });
      return send({
        kind: 'media_changed',
        cached: new Set(
          manifest.assets.filter((one) => !missing.includes(one.id.slice(6))).map((one) => one.sha256),
        ),
      });
    },
    /** Makes the page report what is prepared as ready, and cut to it. */
    showPrepared() {
      const { prepared, current } = state;
      if (!prepared) {
        throw new Error('nothing is prepared');
      }
      const { id } = prepared.showing;
      driver.reportFromStage({ type: 'ready', showing_id: id });
      if (current && !current.finished) {
        driver.reportFromStage({
          type: 'ended',
          showing_id: current.showing.id,
          ago_ms: 0,
          shown_ms: monoMs - current.startedAtMonoMs,
          outcome: 'completed',
          reason: null,
        });
      }
      driver.reportFromStage({ type: 'started', showing_id: id, ago_ms: 0 });
      return id;
    },
    /** Names of the item on the screen and of the prepared one. */
    itemNames: () => [
      state.current?.showing.itemId.split('/')[1] ?? null,
      state.prepared?.showing.itemId.split('/')[1] ?? null,
    ],
    takeEffects: () => effects.splice(0),
  };
  return driver;
}

export const createShowing = (id: string, name: string): Showing => ({
  id,
  playlistId: 'pl',
  itemId: `pl/${name}`,
  contentId: `asset_${name}`,
  sha256: sha256Of(name),
  scheduleId: null,
  ruleId: null,
  kind: 'image',
  durationMs: 10_000,
  videoEndMs: null,
});

export const stageOrders = (effects: PlaybackEffect[]) =>
  effects.flatMap((effect) => (effect.kind === 'stage_command' ? [effect.command] : []));
export const endedEffects = (effects: PlaybackEffect[]) =>
  effects.flatMap((effect) => (effect.kind === 'ended' ? [effect] : []));

/** Shows items until the clock reaches this time in milliseconds. */
export const playUntil = (driver: ReturnType<typeof createPlaybackDriver>, untilMs: number) => {
  while (driver.elapsedMs() + 10_000 <= untilMs) {
    driver.advance(10_000);
    if (driver.state.prepared?.cut !== 'on_command') {
      driver.showPrepared();
    }
  }
  driver.advance(untilMs - driver.elapsedMs());
};

export const THREE_IMAGES: ManifestSpec = { playlists: { pl: ['a', 'b', 'c'] } };
