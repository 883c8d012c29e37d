/**
 * What a player costs that shows one picture, each of its processes, beside a bare browser that shows the same picture,
 * one after the other. `npm run bench:rest`. Both in the headless browser of the npm package, which draws in software.
 */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createChromiumShell } from '../../src/shells/chromium/chromium-shell.ts';
import { bundledShellDeps } from '../e2e/bundled-shell.ts';
import { startFakeCloud } from '../support/fake-cloud.ts';
import { buildManifest, imageAsset } from '../support/manifests.ts';
import { descendants } from '../support/program.ts';
import type { Figure } from './figures.ts';
import { median } from './median.ts';
import { PLAYER_SHELL, REPOSITORY, startPlayer, stopPlayer } from './player-program.ts';
import { readProcessCost } from './process-cost.ts';
import type { Settings } from './settings.ts';

const ROUNDS = 3;
/** The page asks for decoders after two seconds, and the runtime loads what it does not need for the first picture. */
const SETTLE_MS = 15_000;
/** A process at rest uses few clock ticks, so this measurement is longer than others. */
const LONGER = 5;
const SIZE = { width: 1920, height: 1080 };
const PICTURE = join(REPOSITORY, 'test/media/sample-morning-1920x1080.jpg');

/** Per kind of process: CPU as part of a core, and memory. */
type Costs = Map<string, { cores: number; bytes: number }>;

/** What a process does, from its command line. */
function kindOf(command: string): string {
  const type = /--type=([\w-]+)/.exec(command)?.[1];
  const service = /--utility-sub-type=(\w+)/.exec(command)?.[1];
  if (service !== undefined) {
    return `browser: ${service}`;
  }
  if (type !== undefined) {
    return `browser: ${type}`;
  }
  if (command.includes(PLAYER_SHELL)) {
    return 'shell';
  }
  return command.includes('runtime/main.js') ? 'runtime' : 'browser: main';
}

/** Observes these processes for a time. */
async function observe(processes: readonly { pid: number; command: string }[], ms: number): Promise<Costs> {
  const before = new Map(processes.map(({ pid }) => [pid, readProcessCost(pid)]));
  const beganMs = performance.now();
  await sleep(ms);
  const tookMs = performance.now() - beganMs;
  const costs: Costs = new Map();
  for (const { pid, command } of processes) {
    const [then, now] = [before.get(pid), readProcessCost(pid)];
    // A process that ended meanwhile was not one of a player at rest.
    if (!then || !now) {
      continue;
    }
    const kind = kindOf(command);
    const sum = costs.get(kind) ?? { cores: 0, bytes: 0 };
    costs.set(kind, {
      cores: sum.cores + (now.cpuMs - then.cpuMs) / tookMs,
      bytes: sum.bytes + now.pssBytes,
    });
  }
  return costs;
}

async function observePlayer(dir: string, ms: number, settleMs: number): Promise<Costs> {
  const cloud = await startFakeCloud();
  const bytes = await readFile(PICTURE);
  const asset = { ...imageAsset('picture', { format: 'jpeg', ...SIZE }), ...cloud.addMedia(bytes) };
  cloud.setManifest(buildManifest({ playlists: { pl: ['picture'] }, assets: [asset] }));
  cloud.confirmPairing();
  const player = startPlayer(PLAYER_SHELL, {
    cloudUrl: cloud.url,
    dataDir: join(dir, 'player'),
    expectedText: '"play.started"',
  });
  try {
    await player.seen;
    await sleep(settleMs);
    const pid = player.child.pid ?? 0;
    return await observe([{ pid, command: PLAYER_SHELL }, ...descendants(pid)], ms);
  } finally {
    await stopPlayer(player);
    await cloud.stop();
  }
}

async function observeBrowser(dir: string, ms: number, settleMs: number): Promise<Costs> {
  copyFileSync(PICTURE, join(dir, basename(PICTURE)));
  const page = join(dir, 'page.html');
  writeFileSync(
    page,
    `<!doctype html><body style="margin:0"><img src="${basename(PICTURE)}" style="width:100vw;height:100vh">`,
  );
  const shell = createChromiumShell(await bundledShellDeps(join(dir, 'browser'), SIZE.width, SIZE.height));
  const own = new Set(descendants(process.pid).map(({ pid }) => pid));
  try {
    await shell.open(pathToFileURL(page).href);
    await sleep(settleMs);
    return await observe(
      descendants(process.pid).filter(({ pid }) => !own.has(pid)),
      ms,
    );
  } finally {
    await shell.close();
  }
}

const total = (costs: Costs) =>
  [...costs.values()].reduce((sum, one) => ({ cores: sum.cores + one.cores, bytes: sum.bytes + one.bytes }), {
    cores: 0,
    bytes: 0,
  });

export async function measureRest({ ms, isQuick, ...settings }: Settings): Promise<Figure[]> {
  const settleMs = isQuick ? 0 : SETTLE_MS;
  const rounds: { player: Costs; bare: Costs }[] = [];
  for (let round = 0; round < settings.rounds(ROUNDS); round++) {
    const dir = mkdtempSync(join(tmpdir(), 'placard-bench-rest-'));
    try {
      rounds.push({
        bare: await observeBrowser(dir, ms * LONGER, settleMs),
        player: await observePlayer(dir, ms * LONGER, settleMs),
      });
    } finally {
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  const percent = (of: 'player' | 'bare') => median(rounds.map((round) => 100 * total(round[of]).cores));
  const megabytes = (of: 'player' | 'bare') => median(rounds.map((round) => total(round[of]).bytes / 1e6));
  const name = 'bare browser';
  const kinds = [...new Set(rounds.flatMap(({ player }) => [...player.keys()]))].toSorted();
  return [
    {
      name: 'player that shows one picture, headless: CPU of all processes',
      ours: percent('player'),
      unit: '% of a core',
      limit: null,
      goal: null,
      detail: `${name} ${percent('bare').toFixed(2)}`,
    },
    {
      name: '… memory of all processes',
      ours: megabytes('player'),
      unit: 'MB',
      limit: { name, value: megabytes('bare') },
      goal: null,
    },
    ...kinds.map((kind): Figure => {
      const of = (which: 'player' | 'bare', value: (cost: { cores: number; bytes: number }) => number) =>
        median(
          rounds.flatMap((round) => {
            const cost = round[which].get(kind);
            return cost ? [value(cost)] : [];
          }),
        );
      const bareMb = of('bare', ({ bytes }) => bytes / 1e6);
      return {
        name: `… memory of ${kind}`,
        ours: of('player', ({ bytes }) => bytes / 1e6),
        unit: 'MB',
        limit: Number.isNaN(bareMb) ? null : { name, value: bareMb },
        goal: null,
        detail: `CPU ${of('player', ({ cores }) => 100 * cores).toFixed(2)} %`,
      };
    }),
  ];
}
