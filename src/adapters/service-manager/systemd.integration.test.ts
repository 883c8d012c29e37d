import { existsSync, readFileSync, writeFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createSystemd } from './systemd.ts';
import type { SystemdDeps } from './systemd.ts';

const LOG: SystemdDeps['log'] = { debug() {}, info() {}, warn() {}, error() {}, child: () => LOG };
const UNIT = { NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '90000000' };
let folder: string;
let command: string;
let nowMs: number;

beforeEach(() => {
  folder = tempDir();
  command = join(folder, 'systemd-notify');
  nowMs = 1_000;
  fakeNotify('');
});

function fakeNotify(more: string): void {
  // Replaces the file: a shell reads its script while it runs, and a running one must keep the old file.
  writeFileSync(`${command}.new`, `#!/bin/sh\necho "$*" >>'${folder}/said'\n${more}\n`, { mode: 0o755 });
  renameSync(`${command}.new`, command);
}
const notifyCalls = () =>
  existsSync(join(folder, 'said')) ? readFileSync(join(folder, 'said'), 'utf8').trim().split('\n') : [];
const systemd = (env: SystemdDeps['env'] = UNIT) =>
  createSystemd({ env, clock: { monoMs: () => nowMs }, log: LOG, command });
/** Calls `onPageBeat`, as a page does each second, until systemd was notified this many times. */
async function beatUntilNotified(manager: ReturnType<typeof systemd>, times: number): Promise<void> {
  await eventually(() => {
    // Checked first: a command that was just started may have notified already.
    if (notifyCalls().length < times) {
      manager.onPageBeat();
    }
    expect(notifyCalls()).toHaveLength(times);
  });
}

test('notifies READY with the first frame, and the watchdog three times per deadline', async () => {
  const manager = systemd();
  await beatUntilNotified(manager, 1);
  nowMs += 29_999;
  manager.onPageBeat();
  nowMs += 1;
  await beatUntilNotified(manager, 2);
  expect(notifyCalls()).toEqual(['--ready WATCHDOG=1', 'WATCHDOG=1']);
});

test('a failed notification is repeated with the next frame', async () => {
  fakeNotify('exit 1');
  const manager = systemd();
  await beatUntilNotified(manager, 1);
  fakeNotify('');
  await beatUntilNotified(manager, 2);
  expect(notifyCalls()).toEqual(['--ready WATCHDOG=1', '--ready WATCHDOG=1']);
});

test('runs nothing without systemd', async () => {
  const manager = systemd({});
  manager.onPageBeat();
  const other = systemd();
  await beatUntilNotified(other, 1);
  expect(notifyCalls()).toHaveLength(1);
});
