import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findMissingTools } from '../../scripts/run.ts';
import { tempDir } from '../support/temp-dir.ts';
import { openVolatileDisk } from './volatile-disk.ts';

const BYTES = 1024 * 1024;

/** A disk filled with bytes of 1, and a client that writes like a machine; `random` decides what a power cut loses. */
async function disk(random: number) {
  const folder = tempDir();
  const [base, file] = [join(folder, 'base'), join(folder, 'disk')];
  writeFileSync(base, Buffer.alloc(BYTES, 1));
  const opened = await openVolatileDisk(base, { file, socket: join(folder, 'nbd'), random: () => random });
  const client = spawn('qemu-io', ['-f', 'raw', '-t', 'writeback', opened.address]);
  let output = '';
  let commands = 0;
  client.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  onTestFinished(async () => {
    client.kill('SIGKILL');
    await opened.close();
  });
  return {
    /** Runs a command of qemu-io, and returns its output up to the next prompt. */
    io: async (command: string): Promise<string> => {
      commands += 1;
      client.stdin.write(`${command}\n`);
      while (output.split('qemu-io> ').length < commands + 2) {
        await once(client.stdout, 'data');
      }
      return output;
    },
    cutPower: async () => {
      client.kill('SIGKILL');
      await once(client, 'exit');
      return opened.losePower();
    },
    at: (offset: number) => readFileSync(file)[offset],
  };
}

describe.skipIf(findMissingTools(['qemu-io']).length > 0 && 'needs qemu-utils')(
  'a disk with a write cache',
  () => {
    test('reads what was written, flushed or not', async () => {
      const { io, at } = await disk(0);
      await io('write -P 7 0 64k');
      expect(await io('read -P 7 0 64k')).not.toContain('failed');
      expect(at(0)).toBe(1);
      await io('write -P 9 512 512');
      expect(await io('read -P 9 512 512')).not.toContain('failed');
      expect(await io('read -P 7 1024 3k')).not.toContain('failed');
    });

    test('loses at a power cut what was not flushed, and nothing else', async () => {
      const { io, cutPower, at } = await disk(0);
      await io('write -P 7 0 64k');
      await io('flush');
      await io('write -P 8 64k 64k');
      await io('write -f -P 9 128k 64k');
      expect(await cutPower()).toEqual({ lost: 16, kept: 0 });
      expect([at(0), at(65_536), at(131_072)]).toEqual([7, 1, 9]);
    });

    test('may also have kept it', async () => {
      const { io, cutPower, at } = await disk(0.9);
      await io('write -P 8 64k 64k');
      expect(await cutPower()).toEqual({ lost: 0, kept: 16 });
      expect(at(65_536)).toBe(8);
    });
  },
);
