import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { errorMessage } from '../../core/error-details.ts';
import { openPlayerDatabase } from '../../adapters/sqlite/player-database.ts';
import type { FromStageMessage } from '@placard/protocol/stage';
import { createStageServer } from '../../stage-link/server.ts';
import type { Shell } from '../supervision/shell.ts';
import { SMOKE_CLIP } from './smoke-clip.ts';

/** One part of the smoke test; `detail` is the error, or the result. */
export interface SmokeStep {
  ok: boolean;
  detail: string;
}

/** The JSON output of `--smoke-test`. */
export interface SmokeReport {
  ok: boolean;
  shell: string;
  node: string;
  platform: string;
  arch: string;
  /** The database was opened, written and read, by the native module of this package. */
  store: SmokeStep;
  /** A clip of one second was played to its end in the window. */
  clip: SmokeStep;
  /** A screenshot of the window was taken. */
  picture: SmokeStep;
}

/** A slow board needs a minute to start its browser. */
const STEP_TIMEOUT_MS = 120_000;
const SHOWING_ID = 'smoke';

/** Checks that this installation can store data and show media. Takes a few seconds. */
export async function smokeTest(deps: { shell: Shell; rendererDir: string }): Promise<SmokeReport> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-smoke-'));
  try {
    const database = await runStep(() => checkDatabase(folder));
    const stage = createSmokeStage(deps.rendererDir, folder);
    const clip = await runStep(() => playClip(deps.shell, stage, folder));
    const picture = await runStep(async () => `${(await deps.shell.capture()).length} bytes of PNG`);
    await deps.shell.close();
    await stage.server.close();
    return {
      ok: database.ok && clip.ok && picture.ok,
      shell: deps.shell.name,
      node: process.version,
      platform: process.platform,
      arch: process.arch,
      store: database,
      clip,
      picture,
    };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runStep(step: () => Promise<string> | string): Promise<SmokeStep> {
  try {
    return { ok: true, detail: await step() };
  } catch (error) {
    return { ok: false, detail: errorMessage(error) };
  }
}

function checkDatabase(folder: string): string {
  const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
  const open = () =>
    openPlayerDatabase({
      file: join(folder, 'player.sqlite'),
      identityFile: join(folder, 'identity.json'),
      server: 'http://127.0.0.1',
      nowMs: Date.now(),
      log,
    });
  const first = open();
  first.saveLastGoodTime(1_234);
  first.close();
  const second = open();
  const readBack = second.readLastGoodTime();
  second.close();
  if (readBack !== 1_234) {
    throw new Error(`the database returned ${readBack} instead of the written value`);
  }
  return 'opened, written, opened again and read';
}

type SmokeStage = ReturnType<typeof createSmokeStage>;

function createSmokeStage(rendererDir: string, folder: string) {
  const bytes = Buffer.from(SMOKE_CLIP, 'base64');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const path = join(folder, 'clip.mp4');
  const listeners = new Set<(message: FromStageMessage) => void>();
  const server = createStageServer({
    rendererDir,
    session: randomBytes(32).toString('base64url'),
    log: { info() {}, warn() {} },
    findMedia: async (requestedSha256) =>
      requestedSha256 === sha256 ? { path, size: bytes.length, contentType: 'video/mp4' } : null,
    onMessage: (message) => listeners.forEach((listener) => listener(message)),
    onConnection() {},
  });
  return {
    server,
    url: `/media/${sha256}`,
    /** Resolves with the first message that matches; rejects after a timeout. */
    async waitForMessage(
      description: string,
      matches: (message: FromStageMessage) => boolean,
    ): Promise<FromStageMessage> {
      const { promise, resolve } = Promise.withResolvers<FromStageMessage>();
      const listener = (message: FromStageMessage) => {
        if (matches(message)) {
          resolve(message);
        }
      };
      listeners.add(listener);
      const timeout = wait(STEP_TIMEOUT_MS, null, { ref: false }).then(() =>
        Promise.reject(
          new Error(`the page did not report ${description} within ${STEP_TIMEOUT_MS / 1000} s`),
        ),
      );
      return Promise.race([promise, timeout]).finally(() => listeners.delete(listener));
    },
  };
}

async function playClip(shell: Shell, stage: SmokeStage, folder: string): Promise<string> {
  await writeFile(join(folder, 'clip.mp4'), Buffer.from(SMOKE_CLIP, 'base64'));
  await stage.server.listen(0);
  const hello = stage.waitForMessage('hello', ({ type }) => type === 'hello');
  const ended = stage.waitForMessage(
    'the end of the clip',
    (message) => (message.type === 'ended' || message.type === 'failed') && message.showing_id === SHOWING_ID,
  );
  ended.catch(() => {});
  await shell.open(stage.server.issuePageUrl());
  await hello;
  stage.server.send({ type: 'screen', screen: { kind: 'stage' } });
  stage.server.send({
    type: 'prepare',
    showing: { id: SHOWING_ID, kind: 'video', url: stage.url, duration_ms: null, video_end_ms: 1_000 },
    cut: 'when_ready',
  });
  const end = await ended;
  if (end.type !== 'ended' || end.outcome !== 'completed') {
    throw new Error(`the clip was not played: ${JSON.stringify(end)}`);
  }
  return `played for ${Math.round(end.shown_ms)} ms`;
}
