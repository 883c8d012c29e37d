import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { restore } from './restore.ts';
import { readTar, TAR_END, tarHeader, tarPadding } from './tar.ts';

/** The greatest size that eleven octal digits can say. */
const OCTAL_MAX = 8 ** 11 - 1;
const SIZES = [OCTAL_MAX, OCTAL_MAX + 1, 9_000_000_001];
const [SIZE_AT, SIZE_END, CHECKSUM_AT] = [124, 136, 148];

/** The same memory again and again, as 9 GB must be neither written nor held. */
const ZEROS = Buffer.alloc(64 * 1_048_576);
function* zeros(size: number): Generator<Buffer> {
  for (let remaining = size; remaining > 0; remaining -= ZEROS.length) {
    yield ZEROS.subarray(0, remaining);
  }
}

/** A header whose checksum is right. */
function withSize(field: Buffer): Buffer {
  const header = tarHeader({ name: 'cloud.sqlite', size: 0 });
  field.copy(header, SIZE_AT);
  header.fill(' ', CHECKSUM_AT, CHECKSUM_AT + 8);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0`, CHECKSUM_AT, 'latin1');
  return header;
}

test('files of more than 8.6 GB are read, each to its end', async () => {
  function* archive(): Generator<Buffer> {
    for (const size of SIZES) {
      yield tarHeader({ name: `blobs/${size}`, size });
      yield* zeros(size);
      yield tarPadding(size);
    }
    yield tarHeader({ name: 'cloud.sqlite', size: 3 });
    yield Buffer.from('end');
    yield tarPadding(3);
    yield TAR_END;
  }
  const read: [name: string, stated: number, bytes: number][] = [];
  for await (const { name, size, bytes } of readTar(Readable.from(archive()))) {
    let count = 0;
    for await (const chunk of bytes) {
      count += chunk.length;
    }
    read.push([name, size, count]);
  }
  expect(read).toEqual([...SIZES.map((size) => [`blobs/${size}`, size, size]), ['cloud.sqlite', 3, 3]]);
});

// Elsewhere the file has no blocks for what was not written.
test.skipIf(process.platform === 'win32')('the tar of the system lists them', () => {
  const file = join(tempDir(), 'large.tar');
  const archive = openSync(file, 'w');
  let at = 0;
  for (const size of SIZES) {
    writeSync(archive, tarHeader({ name: `blobs/${size}`, size }), 0, 512, at);
    at += 512 + size + tarPadding(size).length;
  }
  writeSync(archive, TAR_END, 0, TAR_END.length, at);
  closeSync(archive);
  const lines = execFileSync('tar', ['-tvf', file], { encoding: 'utf8' }).trim().split('\n');
  expect(lines).toHaveLength(SIZES.length);
  for (const [index, size] of SIZES.entries()) {
    expect(lines[index]).toMatch(new RegExp(` ${size} .* blobs/${size}$`));
  }
});

test.each([
  ['that is negative', 'ff'.repeat(12)],
  ['beyond that of any file', `80${'00'.repeat(3)}${'ff'.repeat(8)}`],
  ['with more than 64 bits', `80${'00'.repeat(2)}01${'00'.repeat(8)}`],
  ['with another first byte', `81${'00'.repeat(11)}`],
  ['in octal digits with a sign', Buffer.from('-0000000001\0').toString('hex')],
  ['in octal digits that end in others', Buffer.from('00000000018\0').toString('hex')],
  ['that is missing', '00'.repeat(12)],
])('a backup with a size %s is refused, and nothing is restored', async (_, hex) => {
  const field = Buffer.from(hex, 'hex');
  expect(field).toHaveLength(SIZE_END - SIZE_AT);
  const [file, dataDir] = [join(tempDir(), 'backup.tar'), join(tempDir(), 'data')];
  writeFileSync(file, Buffer.concat([withSize(field), TAR_END]));
  await expect(
    restore(file, { dataDir, s3: undefined, database: undefined, takeMedia: false, report: () => {} }),
  ).rejects.toThrow(`The backup ${file} cannot be read: the size of "cloud.sqlite" in it is damaged.`);
  expect(existsSync(join(dataDir, 'cloud.sqlite'))).toBe(false);
});

test('a size that no file can have is not written', () => {
  for (const size of [-1, 1.5, Number.NaN, 2 ** 53]) {
    expect(() => tarHeader({ name: 'cloud.sqlite', size })).toThrow('cannot be archived: cloud.sqlite');
  }
});
