import { readdirSync, readFileSync, statSync } from 'node:fs';
import type * as fsPromises from 'node:fs/promises';
import type * as fs from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { writeDurably, writeDurablySync } from './durable-file.ts';

/** The operations that matter after a power cut, in order, with the path that each was done to. */
const operations = vi.hoisted((): string[] => []);

vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof fs>();
  const paths = new Map<number, string>();
  return {
    ...original,
    openSync(path: string, flags: string, mode?: number) {
      const file = original.openSync(path, flags, mode);
      paths.set(file, path);
      return file;
    },
    fsyncSync(file: number) {
      operations.push(`sync ${paths.get(file)}`);
      original.fsyncSync(file);
    },
    renameSync(from: string, to: string) {
      operations.push(`rename ${to}`);
      original.renameSync(from, to);
    },
  };
});

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof fsPromises>();
  return {
    ...original,
    async open(path: string, flags: string, mode?: number) {
      const file = await original.open(path, flags, mode);
      const sync = file.sync.bind(file);
      file.sync = () => {
        operations.push(`sync ${path}`);
        return sync();
      };
      return file;
    },
    rename(from: string, to: string) {
      operations.push(`rename ${to}`);
      return original.rename(from, to);
    },
  };
});

const WRITERS: [name: string, write: (path: string, content: string) => Promise<void>][] = [
  ['writeDurably', writeDurably],
  ['writeDurablySync', async (path, content) => writeDurablySync(path, content)],
];

beforeEach(() => void operations.splice(0));

test.each(WRITERS)('%s replaces a file that only its owner can read', async (_, write) => {
  const dir = tempDir();
  await write(join(dir, 'file'), 'old');
  await write(join(dir, 'file'), 'new');
  expect(readFileSync(join(dir, 'file'), 'utf8')).toBe('new');
  expect(statSync(join(dir, 'file')).mode & 0o077).toBe(0);
  expect(readdirSync(dir)).toEqual(['file']);
});

test.runIf(process.platform !== 'win32').each(WRITERS)(
  '%s syncs the content before the rename and the folder after it',
  async (_, write) => {
    const dir = tempDir();
    const file = join(dir, 'file');
    await write(file, 'text');
    expect(operations).toEqual([`sync ${file}.new`, `rename ${file}`, `sync ${dir}`]);
  },
);
