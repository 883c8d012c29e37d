import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type CloudApi, cloudApi } from '../../scripts/start/cloud-api.ts';
import { startProgram, type Program } from '../support/program.ts';
import type { Machine, MachineOptions } from './machine.ts';
import type { ScreenReading } from './screen.ts';
import type { SystemImage } from './system-image.ts';
import type { System } from './systems.ts';

/** Address of the host's loopback, as a machine with user networking sees it. */
export const HOST_SEEN_FROM_MACHINE = '10.0.2.2';

/** What a scene works with. */
export interface Trial {
  readonly system: System;
  readonly image: SystemImage;
  /** The package that is on the image. */
  readonly deb: string;
  /** Pictures and disks of this run. */
  readonly folder: string;
  readonly cloud: TrialCloud;
  /** Chance that the seed decides: 0 ≤ number < 1. */
  chance(): number;
  /** A machine with the player installed, not yet switched on. */
  machine(name: string, options?: Partial<MachineOptions>): Promise<Machine>;
  /** What a scene has started besides machines, ended after them however the scene ends. */
  atEnd(end: () => void | Promise<void>): void;
  /** A line of the report. */
  note(line: string): void;
}

export interface TrialCloud {
  readonly port: number;
  readonly url: string;
  readonly admin: CloudApi;
  /** May look more often. */
  readonly reader: CloudApi;
  stop(): Promise<void>;
}

const ADMIN_KEY = 'plk_machine-trial-admin-key-0123456789';

/** A real cloud on the host, which machines reach at `HOST_SEEN_FROM_MACHINE`. */
export async function startTrialCloud(port: number, folder: string): Promise<TrialCloud> {
  mkdirSync(folder, { recursive: true });
  const url = `http://127.0.0.1:${port}`;
  const program: Program = startProgram(
    [
      'packages/cloud/src/main.ts',
      `--port=${port}`,
      `--data=${join(folder, 'cloud')}`,
      `--public-url=http://${HOST_SEEN_FROM_MACHINE}:${port}`,
    ],
    { PLACARD_ADMIN_KEY: ADMIN_KEY },
    join(folder, 'cloud.log'),
  );
  const admin = cloudApi(url, ADMIN_KEY);
  await Promise.race([
    admin.ready(),
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
    reader: cloudApi(url, key),
    async stop() {
      program.signal('SIGTERM');
      await program.ended;
    },
  };
}

/** Asks until there is an answer; rejects with what was waited for. */
export async function eventually<T>(
  what: string,
  withinMs: number,
  ask: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  everyMs = 500,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms for ${what}`);
    await sleep(everyMs);
  }
}

/** What a scene reads of the player's `status.json`. */
const status = z.looseObject({
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
export type PlayerStatus = z.infer<typeof status>;

/** The player's own account, read over the serial port; null while there is none. */
export async function statusOf(machine: Machine): Promise<PlayerStatus | null> {
  const text = await machine.console.tryRun('cat /var/lib/placard/status.json', 20_000);
  if (text === null) return null;
  try {
    return status.parse(JSON.parse(text));
  } catch {
    return null; // Between two boots there may be anything on the line.
  }
}

/** A page of the player is on the screen: neither black nor the text of a console. */
export const showsSomething = (screen: ScreenReading): boolean => screen.height >= 480 && screen.black < 0.9;

/** Taking a picture holds the emulation up: a machine that is looked at twice a second starts a tenth later. */
const LOOK_EVERY_MS = 2_000;

export const screenShows = (
  machine: Machine,
  label: string,
  withinMs: number,
  matches: (screen: ScreenReading) => boolean = showsSomething,
): Promise<ScreenReading> =>
  eventually(
    `the picture "${label}"; look at ${machine.folder}/${label}.png`,
    withinMs,
    async () => {
      const screen = await machine.look(label);
      return matches(screen) ? screen : null;
    },
    LOOK_EVERY_MS,
  );
