/**
 * How long the player takes from its start to its first picture with 1,000 files held, beside the time that the same
 * shell takes to show a bare page. `npm run bench:start -- [rounds]`; see docs/measuring-start.md.
 */
import { spawn, type ChildProcess } from 'node:child_process';
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
import { startFakeCloud, type FakeCloud } from '../support/fake-cloud.ts';
import { sketchManifest } from '../support/manifests.ts';
import { until } from '../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FILES = 1_000;
const ROUNDS = Number(process.argv[2] ?? 10);
const LIMIT = 1.5;

const line = (text = '') => process.stdout.write(`${text}\n`);
const median = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/** By the log of the runtime, in milliseconds since 1970. */
const startedAt = (text: string): number => z.object({ time: z.number() }).parse(JSON.parse(text)).time;

/** A thousand small photographs, no two alike. */
async function fill(cloud: FakeCloud): Promise<void> {
  const names = Array.from({ length: FILES }, (_, index) => `n${index}`);
  const manifest = sketchManifest({ revision: 'r1', playlists: { pl: names } });
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

/** The built programs beside another runtime; where packages are found from. Answers with the shell. */
function copyWithBareRuntime(): string {
  const copy = join(ROOT, 'node_modules/.cache/placard-bench');
  rmSync(copy, { recursive: true, force: true });
  cpSync(join(ROOT, 'dist'), join(copy, 'dist'), { recursive: true });
  writeFileSync(join(copy, 'package.json'), '{ "type": "module" }');
  const bare = readFileSync(join(ROOT, 'test/bench/start-bare.ts'), 'utf8');
  writeFileSync(join(copy, 'dist/runtime/main.js'), stripTypeScriptTypes(bare));
  return join(copy, 'dist/shells/main.js');
}

interface Begun {
  child: ChildProcess;
  /** Milliseconds from the start to this line, and the line. */
  seen: Promise<{ tookMs: number; text: string }>;
}

/** Starts a program and waits for a line that it says. */
function begin(args: readonly string[], word: string): Begun {
  const beganMs = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, PLACARD_DRY_RUN: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const seen = new Promise<{ tookMs: number; text: string }>((found, failed) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      if (text.includes(word)) found({ tookMs: performance.now() - beganMs, text });
    });
    child.once('exit', (code) => failed(new Error(`it ended with ${code} before it said ${word}`)));
  });
  return { child, seen };
}

async function end({ child }: Begun): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

const dir = mkdtempSync(join(tmpdir(), 'placard-start-'));
const cloud = await startFakeCloud();
try {
  const data = join(dir, 'player');
  const start = (shell: string, folder: string, word: string) =>
    begin([shell, '--shell', 'headless', '--server', cloud.url, '--data', folder], word);
  const player = () => start('dist/shells/main.js', data, '"play.started"');
  const bareShell = copyWithBareRuntime();
  const bare = () => start(bareShell, join(dir, 'bare'), 'shown');

  await fill(cloud);
  cloud.confirm();
  const first = player();
  await first.seen;
  const held = () => readdirSync(join(data, 'media')).filter((name) => /^[0-9a-f]{64}$/.test(name)).length;
  await until('a thousand files', () => held() === FILES, 600_000);
  await end(first);

  const bareMs: number[] = [];
  const playerMs: number[] = [];
  let early = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const page = bare();
    bareMs.push((await page.seen).tookMs);
    await end(page);
    cloud.seen.connections.length = 0;
    const whole = player();
    const { tookMs, text } = await whole.seen;
    playerMs.push(tookMs);
    await until('the network afterwards', () => cloud.seen.connections[0], 60_000);
    if ((cloud.seen.connections[0] ?? 0) < startedAt(text)) early += 1;
    await end(whole);
  }

  const ratio = median(playerMs) / median(bareMs);
  const ms = (values: readonly number[]) =>
    `${median(values).toFixed(0)} ms (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)})`;
  line(`Start to the first picture, ${FILES} files held, ${ROUNDS} rounds; median (fastest–slowest):`);
  line(`  bare page in the same shell   ${ms(bareMs)}`);
  line(`  player, first picture         ${ms(playerMs)}`);
  line(`  ratio                         ${ratio.toFixed(2)}  ${ratio < LIMIT ? 'ok' : `over ${LIMIT}`}`);
  line(`  network before the picture    ${early} of ${ROUNDS}  ${early === 0 ? 'ok' : 'TOO EARLY'}`);
  process.exitCode = ratio < LIMIT && early === 0 ? 0 : 1;
} finally {
  await cloud.stop();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
}
