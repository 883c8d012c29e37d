import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { storageFailureOf } from '../domain/storage-failure.ts';
import { bucketOwnerFile } from './owner-file.ts';

test('a bucket that is lost while the file is read is a failure of the media store', async () => {
  const body = Readable.from(
    (function* () {
      yield Buffer.from('{"id":');
      throw new Error('socket hang up');
    })(),
  );
  const bucket = {
    location: 's3://media',
    get: () => Promise.resolve(body),
    put: () => Promise.resolve(),
    delete: () => Promise.resolve(),
  };
  const error = await bucketOwnerFile(bucket)
    .read()
    .catch((lost: unknown) => lost);
  expect(storageFailureOf(error)).toBe('media_store');
  expect(String(error)).toContain('s3://media');
});
