import { fstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createLogSync } from './log-sync.ts';

/** A file whose writes to the disk end when the test says so. */
function openFile() {
  const file = join(tempDir(), 'log');
  writeFileSync(file, 'any');
  const disk: { fd: number; end: () => void; fail: (error: Error) => void }[] = [];
  const log = createLogSync(file, (fd) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    disk.push({ fd, end: resolve, fail: reject });
    return promise;
  });
  return { log, disk };
}

test('what is written while the disk is busy waits for the next time, which is one for all', async () => {
  const { log, disk } = openFile();
  onTestFinished(() => log.close());
  const ended: string[] = [];
  const wait = (name: string) => log.synced().then(() => void ended.push(name));
  const waits = [wait('first'), wait('second'), wait('third')];
  expect(disk).toHaveLength(1);
  disk[0]!.end();
  await waits[0];
  expect(ended).toEqual(['first']);
  expect(disk).toHaveLength(2);
  disk[1]!.end();
  await Promise.all(waits);
  const later = wait('later');
  expect(disk).toHaveLength(3);
  disk[2]!.end();
  await later;
  expect(ended).toEqual(['first', 'second', 'third', 'later']);
});

test('a failure is told to those who waited, and does not end later ones', async () => {
  const { log, disk } = openFile();
  onTestFinished(() => log.close());
  const [first, second] = [log.synced(), log.synced()];
  disk[0]!.fail(new Error('EIO'));
  await expect(first).rejects.toThrow('EIO');
  disk[1]!.end();
  await expect(second).resolves.toBeUndefined();
});

test('closing waits for the disk', async () => {
  const { log, disk } = openFile();
  const waits = [log.synced(), log.synced()];
  const closed = log.close();
  const { fd } = disk[0]!;
  for (const sync of [0, 1]) {
    await setTimeout(20);
    // Otherwise it is closed by now.
    expect(() => fstatSync(fd)).not.toThrow();
    disk[sync]!.end();
    await waits[sync];
  }
  await closed;
});
