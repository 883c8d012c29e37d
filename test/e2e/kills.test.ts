import { execFileSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { seedSamples } from '../../scripts/start/seed-samples.ts';
import { createCloudAndPlayer } from '../support/cloud-and-player.ts';
import type { CloudAndPlayer } from '../support/cloud-and-player.ts';
import { descendants } from '../support/program.ts';
import type { ProcessInfo, Program } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';

/** How often each part is killed: twice by default; `npm run test:kills` does it 50 times and requires 5 s. */
const KILLS = Number(process.env['PLACARD_KILLS'] ?? 0);
const ROUNDS = KILLS || 2;
const BACK_WITHIN_MS = 5_000;
const TIMEOUT_MS = 60_000;
/** Longest random pause before a kill: covers items of a few seconds. */
const LONGEST_PAUSE_MS = 3_000;
const POLL_INTERVAL_MS = 20;

const isBrowser = ({ command }: ProcessInfo) =>
  command.includes('--user-data-dir=') && !command.includes('--type=');
const PARTS: Readonly<Record<string, (info: ProcessInfo) => boolean>> = {
  runtime: ({ command }) => command.includes('runtime/main'),
  renderer: ({ command }) => command.includes('--type=renderer'),
  'GPU process': ({ command }) => command.includes('--type=gpu-process'),
  'network service': ({ command }) => command.includes('network.mojom.NetworkService'),
  browser: isBrowser,
};

const newerThan = async (file: string, sinceMs: number) => (await stat(file)).mtimeMs > sinceMs;

function report(name: string, tookMs: number[]): void {
  const sorted = tookMs.toSorted((one, other) => one - other);
  const worstMs = sorted.at(-1) ?? 0;
  process.stdout.write(
    `${name}: killed ${sorted.length} times, back after ${sorted[Math.floor(sorted.length / 2)]} ms (median), ${worstMs} ms (worst)\n`,
  );
  expect(worstMs, `the ${name}, slowest of ${sorted.length}`).toBeLessThan(BACK_WITHIN_MS);
}

/** Number of zombie processes below the player. */
function zombies(pid: number): number {
  const family = new Set([pid, ...descendants(pid).map((info) => info.pid)]);
  return execFileSync('ps', ['-eo', 'ppid=,stat='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([parent, state]) => state?.startsWith('Z') && family.has(Number(parent))).length;
}

describe('after a kill of any part of the player', () => {
  let system: CloudAndPlayer;
  let player: Program;

  beforeAll(async () => {
    system = await createCloudAndPlayer();
    await system.startCloud();
    await seedSamples(system.api, resolve('test/media'));
    player = system.startPlayer();
    const { code } = await waitUntil(
      'a pairing code',
      async () => {
        const status = await system.readStatus();
        return status.code ? status : null;
      },
      TIMEOUT_MS,
    );
    await system.api.post(z.object({ id: z.string() }), '/v1/devices/pair', {
      code,
      name: 'Killed again and again',
      tags: ['demo'],
    });
    await waitUntil('a picture', async () => (await system.readStatus()).now_playing, TIMEOUT_MS);
  }, 180_000);
  afterAll(() => system.close());

  const parts = (name: string) => descendants(player.pid).filter(PARTS[name] ?? (() => false));

  const inSafeMode = async () =>
    (await system.readStatus()).faults.some(({ code }) => code === 'stage.safe_mode');
  /** Prints what the shell has logged since a kill with a slow recovery. */
  async function printShellLogSince(sinceMs: number): Promise<void> {
    const text = await readFile(join(system.data, 'player/logs/shell.log'), 'utf8');
    const since = text
      .split('\n')
      .filter((line) => Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? '') >= sinceMs);
    process.stdout.write(`${since.join('\n')}\n`);
  }
  /** A new screenshot that is not a plain background. */
  const pictureIsBack = async (killedAtMs: number) =>
    (await newerThan(system.snapshot, killedAtMs)) && (await system.readSnapshotStats()).spread > 5;
  /** A new runtime that reports what is on the screen. */
  const runtimeIsBack = async (killedAtMs: number) =>
    (await newerThan(join(system.data, 'player/status.json'), killedAtMs)) &&
    (await system.readStatus()).now_playing !== null;

  for (const name of Object.keys(PARTS)) {
    test(
      `the ${name}: the picture is back, with one player and one browser`,
      async () => {
        const tookMs: number[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          if (KILLS > 0) {
            await sleep(Math.random() * LONGEST_PAUSE_MS);
          }
          const victims = await waitUntil(`the ${name} to run`, () => parts(name).length > 0 && parts(name));
          const killedAtMs = Date.now();
          for (const { pid } of victims) {
            process.kill(pid, 'SIGKILL');
          }
          // The picture stays when the runtime dies: recovery ends when the runtime knows again what is on the screen.
          const isBack = name === 'runtime' ? runtimeIsBack : pictureIsBack;
          await waitUntil('it to be back', () => isBack(killedAtMs), TIMEOUT_MS, POLL_INTERVAL_MS).catch(
            async (error: unknown) => {
              await printShellLogSince(killedAtMs);
              throw error;
            },
          );
          tookMs.push(Date.now() - killedAtMs);
          if (KILLS > 0 && tookMs.at(-1)! > BACK_WITHIN_MS) {
            await printShellLogSince(killedAtMs);
          }
          await waitUntil('the picture', () => pictureIsBack(killedAtMs), TIMEOUT_MS);
          await waitUntil(
            'the status of the player',
            async () => (await system.readStatus()).now_playing,
            TIMEOUT_MS,
          );
          await waitUntil(
            'one process of each kind, and none of the killed ones',
            () =>
              zombies(player.pid) === 0 &&
              ['runtime', 'browser'].every((each) => parts(each).length === 1) &&
              !descendants(player.pid).some(({ pid }) => victims.some((victim) => victim.pid === pid)),
            TIMEOUT_MS,
          );
        }
        const { since } = (await system.readStatus()).now_playing ?? {};
        await waitUntil(
          'the next item',
          async () => (await system.readStatus()).now_playing?.since !== since,
          TIMEOUT_MS,
        );
        expect(player.output().stderr).not.toContain('    at ');
        if (KILLS > 0) {
          report(name, tookMs);
        }
      },
      ROUNDS * TIMEOUT_MS,
    );
  }

  test('a window that crashes repeatedly switches to software rendering, and the player reports it', async () => {
    // Most of the required crashes have happened above; five in a row are always enough.
    for (let death = 0; death < 5 && !(await inSafeMode()); death++) {
      const killedAtMs = Date.now();
      for (const { pid } of parts('browser')) {
        process.kill(pid, 'SIGKILL');
      }
      await waitUntil('the picture', () => pictureIsBack(killedAtMs), TIMEOUT_MS);
    }
    await waitUntil('the fault', inSafeMode, TIMEOUT_MS);
    await waitUntil('a browser without a graphics card', () =>
      parts('browser').some(({ command }) => command.includes('--disable-gpu')),
    );
    const shown = await waitUntil(
      'something on screen',
      async () => (await system.readStatus()).now_playing,
      TIMEOUT_MS,
    );
    expect(shown.playlist_id).toBeTruthy();
  }, 300_000);
});
