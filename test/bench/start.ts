/**
 * Time from the start of the player to its first picture with 1,000 cached files, compared with the time that the same
 * shell takes to show a blank page. `npm run bench:start -- [rounds]`; see docs/measuring-start.md.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Manifest } from '@placard/protocol';
import sharp from 'sharp';
import { z } from 'zod';
import { startFakeCloud } from '../support/fake-cloud.ts';
import type { FakeCloud } from '../support/fake-cloud.ts';
import { buildManifest } from '../support/manifests.ts';
import { waitUntil } from '../support/wait-until.ts';
import { median } from './median.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FILES = 1_000;
const ROUNDS = Number(process.argv[2] ?? 10);
const LIMIT = 1.5;

const print = (text = '') => process.stdout.write(`${text}\n`);
const ms = (values: readonly number[]) =>
  `${median(values).toFixed(0)} ms (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)})`;

/** From the runtime's log, in milliseconds since 1970. */
const startedAt = (text: string): number => z.object({ time: z.number() }).parse(JSON.parse(text)).time;

/** A thousand small photographs, all different. */
async function addImages(cloud: FakeCloud): Promise<void> {
  const names = Array.from({ length: FILES }, (_, index) => `n${index}`);
  const manifest = buildManifest({ revision: 'r1', playlists: { pl: names } });
  const assets: Manifest['assets'] = [];
  for (const [index, asset] of manifest.assets.entries()) {
    const background = { r: index % 256, g: (index * 7) % 256, b: Math.floor(index / 4) };
    const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
    const picture = sharp({ create: { width: 640, height: 360, channels: 3, background, noise } });
    assets.push({
      ...asset,
      format: 'jpeg',
      ...cloud.addMedia(await picture.tint(background).jpeg().toBuffer()),
    });
  }
  cloud.setManifest({ ...manifest, assets });
}

/** Copies the built programs with another runtime to where their packages are found. Returns the shell's path. */
function copyWithBlankPageRuntime(): string {
  const copy = join(ROOT, 'node_modules/.cache/placard-bench');
  rmSync(copy, { recursive: true, force: true });
  cpSync(join(ROOT, 'dist'), join(copy, 'dist'), { recursive: true });
  writeFileSync(join(copy, 'package.json'), '{ "type": "module" }');
  const bare = readFileSync(join(ROOT, 'test/bench/blank-page-runtime.ts'), 'utf8');
  writeFileSync(join(copy, 'dist/runtime/main.js'), stripTypeScriptTypes(bare));
  return join(copy, 'dist/shells/main.js');
}

interface StartedProgram {
  child: ChildProcess;
  /** Milliseconds from the start to this line, and the line. */
  seen: Promise<{ tookMs: number; text: string }>;
}

/** Starts a program and waits for a line of its output. */
function startAndAwaitLine(args: readonly string[], expectedText: string): StartedProgram {
  const beganMs = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, PLACARD_DRY_RUN: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const seen = new Promise<{ tookMs: number; text: string }>((found, failed) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      if (text.includes(expectedText)) {
        found({ tookMs: performance.now() - beganMs, text });
      }
    });
    child.once('exit', (code) => failed(new Error(`exited with ${code} before printing ${expectedText}`)));
  });
  return { child, seen };
}

async function stopProgram({ child }: StartedProgram): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

const dir = mkdtempSync(join(tmpdir(), 'placard-start-'));
const cloud = await startFakeCloud();
try {
  const data = join(dir, 'player');
  const start = (shell: string, folder: string, word: string) =>
    startAndAwaitLine([shell, '--shell', 'headless', '--server', cloud.url, '--data', folder], word);
  const player = () => start('dist/shells/main.js', data, '"play.started"');
  const bareShell = copyWithBlankPageRuntime();
  const bare = () => start(bareShell, join(dir, 'bare'), 'shown');

  await addImages(cloud);
  cloud.confirmPairing();
  const first = player();
  await first.seen;
  const cachedFileCount = () =>
    readdirSync(join(data, 'media')).filter((name) => /^[0-9a-f]{64}$/.test(name)).length;
  await waitUntil('a thousand files', () => cachedFileCount() === FILES, 600_000);
  await stopProgram(first);

  const bareMs: number[] = [];
  const playerMs: number[] = [];
  let earlyConnections = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const page = bare();
    bareMs.push((await page.seen).tookMs);
    await stopProgram(page);
    cloud.received.connectionTimesMs.length = 0;
    const whole = player();
    const { tookMs, text } = await whole.seen;
    playerMs.push(tookMs);
    await waitUntil('the first connection', () => cloud.received.connectionTimesMs[0], 60_000);
    if ((cloud.received.connectionTimesMs[0] ?? 0) < startedAt(text)) {
      earlyConnections += 1;
    }
    await stopProgram(whole);
  }

  const ratio = median(playerMs) / median(bareMs);
  print(`Start to the first picture, ${FILES} files held, ${ROUNDS} rounds; median (fastest–slowest):`);
  print(`  bare page in the same shell   ${ms(bareMs)}`);
  print(`  player, first picture         ${ms(playerMs)}`);
  print(`  ratio                         ${ratio.toFixed(2)}  ${ratio < LIMIT ? 'ok' : `over ${LIMIT}`}`);
  print(
    `  network before the picture    ${earlyConnections} of ${ROUNDS}  ${earlyConnections === 0 ? 'ok' : 'TOO EARLY'}`,
  );
  process.exitCode = ratio < LIMIT && earlyConnections === 0 ? 0 : 1;
} finally {
  await cloud.stop();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}
