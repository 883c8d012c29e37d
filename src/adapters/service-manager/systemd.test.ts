import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSystemd, type SystemdDeps } from './systemd.ts';

const LOG: SystemdDeps['log'] = { debug() {}, info() {}, warn() {}, error() {}, child: () => LOG };
const UNIT = { NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '90000000' };
let folder: string;
let command: string;
let nowMs: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placard-systemd-'));
  command = join(folder, 'systemd-notify');
  nowMs = 1_000;
  fakeNotify('');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fakeNotify(more: string): void {
  // A shell reads its script as it goes: one that still runs keeps the old file.
  writeFileSync(`${command}.new`, `#!/bin/sh\necho "$*" >>'${folder}/said'\n${more}\n`, { mode: 0o755 });
  renameSync(`${command}.new`, command);
}
const said = () =>
  existsSync(join(folder, 'said')) ? readFileSync(join(folder, 'said'), 'utf8').trim().split('\n') : [];
const systemd = (env: SystemdDeps['env'] = UNIT) =>
  createSystemd({ env, clock: { mono: () => nowMs }, log: LOG, command });
/** Beats, as a page does each second, until it was told on this many times. */
async function beatUntilSaid(manager: ReturnType<typeof systemd>, times: number): Promise<void> {
  await vi.waitFor(
    () => {
      // Looked at first: a command that was just started may have spoken before the next line runs.
      if (said().length < times) manager.pageDraws();
      expect(said()).toHaveLength(times);
    },
    { timeout: 20_000 },
  );
}

test('the unit is ready with the first frame, and the watchdog is fed three times per deadline', async () => {
  const manager = systemd();
  await beatUntilSaid(manager, 1);
  nowMs += 29_999;
  manager.pageDraws();
  nowMs += 1;
  await beatUntilSaid(manager, 2);
  expect(said()).toEqual(['--ready WATCHDOG=1', 'WATCHDOG=1']);
});

test('what could not be told is told with the next frame', async () => {
  fakeNotify('exit 1');
  const manager = systemd();
  await beatUntilSaid(manager, 1);
  fakeNotify('');
  await beatUntilSaid(manager, 2);
  expect(said()).toEqual(['--ready WATCHDOG=1', '--ready WATCHDOG=1']);
});

test('without systemd nothing is run', async () => {
  const manager = systemd({});
  manager.pageDraws();
  const other = systemd();
  await beatUntilSaid(other, 1);
  expect(said()).toHaveLength(1);
});
