/**
 * Time from the start of the player to its first picture with 1,000 cached files, beside the time that the same shell
 * takes to show a blank page. `npm run bench:start`; see docs/measuring-start.md.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '@placard/protocol';
import sharp from 'sharp';
import { z } from 'zod';
import { startFakeCloud } from '../support/fake-cloud.ts';
import type { FakeCloud } from '../support/fake-cloud.ts';
import { buildManifest } from '../support/manifests.ts';
import { waitUntil } from '../support/wait-until.ts';
import type { Figure } from './figures.ts';
import { median } from './median.ts';
import { PLAYER_SHELL, REPOSITORY, startPlayer, stopPlayer } from './player-program.ts';
import type { Settings } from './settings.ts';

const FILES = 1_000;
const ROUNDS = 10;

const range = (values: readonly number[]) =>
  `${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}`;

/** From the runtime's log, in milliseconds since 1970. */
const startedAt = (text: string): number => z.object({ time: z.number() }).parse(JSON.parse(text)).time;

/** Small photographs, all different. */
async function addImages(cloud: FakeCloud, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `n${index}`);
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
  const copy = join(REPOSITORY, 'node_modules/.cache/placard-bench');
  rmSync(copy, { recursive: true, force: true });
  cpSync(join(REPOSITORY, 'dist'), join(copy, 'dist'), { recursive: true });
  writeFileSync(join(copy, 'package.json'), '{ "type": "module" }');
  const bare = readFileSync(join(REPOSITORY, 'test/bench/blank-page-runtime.ts'), 'utf8');
  writeFileSync(join(copy, 'dist/runtime/main.js'), stripTypeScriptTypes(bare));
  return join(copy, PLAYER_SHELL);
}

export async function measureStart(settings: Settings): Promise<Figure[]> {
  const files = settings.count(FILES);
  const rounds = settings.rounds(ROUNDS);
  const dir = mkdtempSync(join(tmpdir(), 'placard-start-'));
  const cloud = await startFakeCloud();
  const running = new Set<ReturnType<typeof startPlayer>>();
  const start = (shell: string, folder: string, expectedText: string) => {
    const program = startPlayer(shell, { cloudUrl: cloud.url, dataDir: join(dir, folder), expectedText });
    running.add(program);
    return program;
  };
  try {
    const player = () => start(PLAYER_SHELL, 'player', '"play.started"');
    const bareShell = copyWithBlankPageRuntime();
    const bare = () => start(bareShell, 'bare', 'shown');

    await addImages(cloud, files);
    cloud.confirmPairing();
    const first = player();
    await first.seen;
    const cachedFileCount = () =>
      readdirSync(join(dir, 'player', 'media')).filter((name) => /^[0-9a-f]{64}$/.test(name)).length;
    await waitUntil('all files', () => cachedFileCount() === files, 600_000);
    await stopPlayer(first);

    const bareMs: number[] = [];
    const playerMs: number[] = [];
    let earlyConnections = 0;
    for (let round = 0; round < rounds; round++) {
      const page = bare();
      bareMs.push((await page.seen).tookMs);
      await stopPlayer(page);
      cloud.received.connectionTimesMs.length = 0;
      const whole = player();
      const { tookMs, text } = await whole.seen;
      playerMs.push(tookMs);
      await waitUntil('the first connection', () => cloud.received.connectionTimesMs[0], 60_000);
      if ((cloud.received.connectionTimesMs[0] ?? 0) < startedAt(text)) {
        earlyConnections += 1;
      }
      await stopPlayer(whole);
    }
    return [
      {
        name: `player with ${files.toLocaleString('en')} files: start to the first picture, headless`,
        ours: median(playerMs),
        unit: 'ms',
        limit: { name: 'blank page in the same shell', value: median(bareMs) },
        goal: 1.5,
        detail: range(playerMs),
      },
      {
        name: '… starts with network before the picture',
        ours: earlyConnections,
        unit: `of ${rounds}`,
        limit: null,
        goal: 0,
      },
    ];
  } finally {
    await Promise.all([...running].map(stopPlayer));
    await cloud.stop();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
