import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createCloudApi } from '../../scripts/start/cloud-api.ts';
import type { CloudApi } from '../../scripts/start/cloud-api.ts';
import { startProgram } from '../support/program.ts';
import type { Program } from '../support/program.ts';
import type { VirtualMachine, VirtualMachineOptions } from './virtual-machine.ts';
import type { ScreenshotStats } from './screenshot-stats.ts';
import type { PlayerPackage } from './player-package.ts';
import type { SystemImage } from './system-image.ts';
import type { System } from './systems.ts';

/** Address of the host's loopback in a machine with user networking. */
export const HOST_ADDRESS = '10.0.2.2';

/** What a scenario works with. */
export interface ScenarioContext {
  readonly system: System;
  readonly image: SystemImage;
  /** The package that is installed on the image. */
  readonly package: PlayerPackage;
  /** Screenshots and disks of this run. */
  readonly folder: string;
  readonly cloud: HostCloud;
  /** Pseudo-random, from the seed of the run: 0 ≤ number < 1. */
  random(): number;
  /** How many power cuts this run makes: `documented` if not set by `--cuts`. */
  powerCuts(documented: number): number;
  /** A machine with the player installed, not yet powered on. */
  createMachine(name: string, options?: Partial<VirtualMachineOptions>): Promise<VirtualMachine>;
  /** Registers what the scenario has started besides machines; it is ended after them, also when the scenario fails. */
  onCleanup(end: () => void | Promise<void>): void;
  /** Prints a line in the report. */
  report(line: string): void;
}

export interface HostCloud {
  readonly port: number;
  readonly url: string;
  readonly admin: CloudApi;
  /** Uses a Read key, which has a higher rate limit. */
  readonly reader: CloudApi;
  stop(): Promise<void>;
}

const ADMIN_KEY = 'plk_machine-trial-admin-key-0123456789';

/** A real cloud on the host, which machines reach at `HOST_ADDRESS`. */
export async function startHostCloud(port: number, folder: string): Promise<HostCloud> {
  mkdirSync(folder, { recursive: true });
  const url = `http://127.0.0.1:${port}`;
  const program: Program = startProgram(
    [
      'packages/cloud/dist/program/main.js',
      `--port=${port}`,
      `--data=${join(folder, 'cloud')}`,
      `--public-url=http://${HOST_ADDRESS}:${port}`,
    ],
    { PLACARD_ADMIN_KEY: ADMIN_KEY },
    join(folder, 'cloud.log'),
  );
  const admin = createCloudApi(url, ADMIN_KEY);
  await Promise.race([
    admin.waitUntilReady(),
    program.ended.then(() => Promise.reject(new Error(`the cloud ended: ${program.output().stderr}`))),
  ]);
  const { key } = await admin.post(z.object({ key: z.string() }), '/v1/api-keys', {
    name: 'machine trial',
    scope: 'Read',
  });
  return {
    port,
    url,
    admin,
    reader: createCloudApi(url, key),
    async stop() {
      program.signal('SIGTERM');
      await program.ended;
    },
  };
}

/** Polls until `probe` returns a value; rejects with what was waited for. */
export async function eventually<T>(
  what: string,
  withinMs: number,
  probe: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  everyMs = 500,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const result = await probe();
    if (result !== null && result !== undefined && result !== false) {
      return result;
    }
    if (performance.now() > deadline) {
      throw new Error(`waited ${withinMs} ms for ${what}`);
    }
    await sleep(everyMs);
  }
}

/** The fields of the player's `status.json` that scenarios read. */
const statusSchema = z.looseObject({
  state: z.enum(['pairing', 'paired']),
  code: z.string().nullable(),
  device_id: z.string().nullable(),
  connection: z.string(),
  held_revision: z.string().nullable(),
  target_revision: z.string().nullable(),
  now_playing: z.object({ item_id: z.string(), content_id: z.string(), since: z.string() }).nullable(),
  orientation: z.looseObject({ shown: z.string() }),
  plays_dropped: z.number(),
  faults: z.array(z.looseObject({ code: z.string() })),
});
export type PlayerStatus = z.infer<typeof statusSchema>;

/** The player's status, read over the serial port; null while there is none. */
export async function readPlayerStatus(machine: VirtualMachine): Promise<PlayerStatus | null> {
  const text = await machine.console.tryRun('cat /var/lib/placard/status.json', 20_000);
  if (text === null) {
    return null;
  }
  try {
    return statusSchema.parse(JSON.parse(text));
  } catch {
    return null; // During a boot the serial output may contain other text.
  }
}

/** A page of the player is on the screen: it is neither black nor a text console. */
export const showsSomething = (screen: ScreenshotStats): boolean =>
  screen.height >= 480 && screen.black < 0.9;

/** Screenshots slow the emulation down: with two per second, a start takes a tenth longer. */
const SCREENSHOT_INTERVAL_MS = 2_000;

export const waitForScreen = (
  machine: VirtualMachine,
  label: string,
  withinMs: number,
  matches: (screen: ScreenshotStats) => boolean = showsSomething,
): Promise<ScreenshotStats> =>
  eventually(
    `the picture "${label}"; see ${machine.folder}/${label}.png`,
    withinMs,
    async () => {
      const screen = await machine.takeScreenshot(label);
      return matches(screen) ? screen : null;
    },
    SCREENSHOT_INTERVAL_MS,
  );
