import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createSqliteStore } from '../adapters/sqlite-store/sqlite-store.ts';
import type { FromStage } from '../stage-link/messages.ts';
import { createStageServer, type StageServer } from '../stage-link/server.ts';
import type { Shell } from './shell.ts';
import { SMOKE_CLIP } from './smoke-clip.ts';

/** One part of the smoke test; `detail` is the error, or what was found. */
export interface SmokePart {
  ok: boolean;
  detail: string;
}

/** What `--smoke-test` prints as JSON. */
export interface SmokeReport {
  ok: boolean;
  shell: string;
  node: string;
  platform: string;
  arch: string;
  /** The database was opened, written and read, by the native module of this package. */
  store: SmokePart;
  /** A clip of one second was played to its end in the window. */
  clip: SmokePart;
  /** A picture of the window was taken. */
  picture: SmokePart;
}

const PATIENCE_MS = 30_000;
const SHOWING_ID = 'smoke';

/** Proves that this installation can do what a player has to: keep things, and show them. Takes a few seconds. */
export async function smokeTest(deps: { shell: Shell; rendererDir: string }): Promise<SmokeReport> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-smoke-'));
  try {
    const store = await part(() => tryStore(folder));
    const stage = createStage(deps.rendererDir, folder);
    const clip = await part(() => playClip(deps.shell, stage, folder));
    const picture = await part(async () => `${(await deps.shell.capture()).length} bytes of PNG`);
    await deps.shell.close();
    await stage.server.close();
    return {
      ok: store.ok && clip.ok && picture.ok,
      shell: deps.shell.name,
      node: process.version,
      platform: process.platform,
      arch: process.arch,
      store,
      clip,
      picture,
    };
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function part(act: () => Promise<string> | string): Promise<SmokePart> {
  try {
    return { ok: true, detail: await act() };
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

function tryStore(folder: string): string {
  const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
  const open = () =>
    createSqliteStore({
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
  const read = second.readLastGoodTime();
  second.close();
  if (read !== 1_234) throw new Error(`the database says ${read} instead of what was written`);
  return 'opened, written, opened again and read';
}

interface Stage {
  server: StageServer;
  /** Resolves with the first message that is so; rejects when none is in time. */
  hears(what: string, isSo: (message: FromStage) => boolean): Promise<FromStage>;
  url: string;
}

function createStage(rendererDir: string, folder: string): Stage {
  const bytes = Buffer.from(SMOKE_CLIP, 'base64');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const path = join(folder, 'clip.mp4');
  const listeners = new Set<(message: FromStage) => void>();
  const server = createStageServer({
    rendererDir,
    session: randomBytes(32).toString('base64url'),
    log: { info() {}, warn() {} },
    findMedia: async (asked) =>
      asked === sha256 ? { path, size: bytes.length, contentType: 'video/mp4' } : null,
    onMessage: (message) => listeners.forEach((listener) => listener(message)),
    onConnection() {},
  });
  return {
    server,
    url: `/media/${sha256}`,
    async hears(what, isSo) {
      const { promise, resolve } = Promise.withResolvers<FromStage>();
      const listener = (message: FromStage) => {
        if (isSo(message)) resolve(message);
      };
      listeners.add(listener);
      const late = wait(PATIENCE_MS, null, { ref: false }).then(() =>
        Promise.reject(new Error(`the page did not say ${what} within ${PATIENCE_MS / 1000} s`)),
      );
      return Promise.race([promise, late]).finally(() => listeners.delete(listener));
    },
  };
}

async function playClip(shell: Shell, stage: Stage, folder: string): Promise<string> {
  await writeFile(join(folder, 'clip.mp4'), Buffer.from(SMOKE_CLIP, 'base64'));
  await stage.server.listen(0);
  const hello = stage.hears('hello', ({ type }) => type === 'hello');
  const ended = stage.hears(
    'how the clip ended',
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
  if (end.type !== 'ended' || end.outcome !== 'completed')
    throw new Error(`the clip was not played: ${JSON.stringify(end)}`);
  return `played for ${Math.round(end.shown_ms)} ms`;
}
