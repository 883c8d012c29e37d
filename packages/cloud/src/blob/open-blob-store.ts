import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { errorMessage } from '../domain/error-details.ts';
import { StartupError } from '../domain/startup-error.ts';
import { ignoreStorageFailure } from '../domain/storage-failure.ts';
import type { BlobRedirects, BlobStore } from './blob-store.ts';
import { createDiskBlobStore } from './disk-blob-store.ts';
import { openDiskUploadFiles } from './disk-upload-files.ts';
import { bucketOwnerFile, diskOwnerFile } from './owner-file.ts';
import type { OwnerFile } from './owner-file.ts';
import { openStagingFolder } from './staging.ts';
import type { DiskSpaceCheck } from './staging.ts';
import type { UploadFiles } from './upload-files.ts';
import type { Bucket } from './s3/bucket.ts';
import { isStoreFault } from './s3/s3-failure.ts';
import type { MediaDelivery, S3Settings } from './s3/s3-settings.ts';

export interface OpenBlobStore {
  blobs: BlobStore;
  uploadFiles: UploadFiles;
  ownerFile: OwnerFile;
  /** Null if the blobs are on the disk. */
  bucket: Bucket | null;
  /** Null if this cloud serves all bytes itself. */
  redirects: BlobRedirects | null;
}

export interface BlobStoreOptions {
  s3?: S3Settings | undefined;
  delivery?: MediaDelivery | undefined;
  clock: Clock;
  diskSpace?: DiskSpaceCheck;
}

/** Opens the store of the settings, or that in the folder; throws a `StartupError` if it cannot be used. */
export async function openBlobStore(
  blobsDir: string,
  { s3, delivery = 'proxy', clock, diskSpace }: BlobStoreOptions,
): Promise<OpenBlobStore> {
  if (!s3) {
    return {
      blobs: await createDiskBlobStore(blobsDir, clock, diskSpace),
      uploadFiles: await openDiskUploadFiles(join(blobsDir, 'uploads')),
      ownerFile: diskOwnerFile(blobsDir),
      bucket: null,
      redirects: null,
    };
  }
  const [{ openBucket }, { createS3BlobStore, createRedirects }, { createS3UploadFiles }] = await Promise.all(
    [import('./s3/bucket.ts'), import('./s3/s3-blob-store.ts'), import('./s3/s3-upload-files.ts')],
  );
  const bucket = await openBucket(s3);
  await requireUsable(bucket);
  const staging = await openStagingFolder(join(blobsDir, 'parts'), diskSpace);
  return {
    blobs: createS3BlobStore({ bucket, staging, clock, diskSpace }),
    uploadFiles: createS3UploadFiles({ bucket, staging, diskSpace }),
    ownerFile: bucketOwnerFile(bucket),
    bucket,
    redirects: delivery === 'redirect' ? await createRedirects(bucket) : null,
  };
}

/** Throws a `StartupError` if the settings seem to be wrong; not because of a fault of the store, which may be over soon. */
async function requireUsable(bucket: Bucket): Promise<void> {
  try {
    await bucket.requireUsable();
  } catch (error) {
    if (error instanceof Error && isStoreFault(error.cause)) {
      // The cloud does all that needs no media meanwhile, and `createBucketCheck` reports it.
      return;
    }
    bucket.close();
    throw new StartupError(errorMessage(error), error);
  }
}

/** A job that asks the bucket whether it can be used, and logs when that changes. */
export function createBucketCheck(bucket: Bucket, log: Pick<Logger, 'error' | 'warn'>) {
  let hasFailed = false;
  return {
    name: 'media-store',
    intervalMs: 15_000,
    async run() {
      await bucket.ping().catch(ignoreStorageFailure);
      const failure = bucket.failure();
      if (failure !== null && !hasFailed) {
        log.error({ location: bucket.location, message: failure }, 'media_store.unavailable');
      } else if (failure === null && hasFailed) {
        log.warn({ location: bucket.location }, 'media_store.ok');
      }
      hasFailed = failure !== null;
    },
  };
}
