import type { BlobInfo } from '../blob/blob-store.ts';
import type { JobDeps } from './deps.ts';
import { isBlobUsed } from './is-blob-used.ts';

/** A device may still be fetching a blob whose asset was just deleted; deletion touches it. */
export const MIN_UNUSED_AGE_MS = 3_600_000;

type DeleteBlobsDeps = Pick<JobDeps, 'database' | 'blobs' | 'clock'>;

/** Deletes blobs that no asset, screenshot or logs use and that were neither saved nor touched for `minAgeMs`. */
export async function deleteUnusedBlobs(deps: DeleteBlobsDeps, minAgeMs: number): Promise<void> {
  for await (const blob of deps.blobs.list()) {
    await deleteBlobIfUnused(deps, blob, minAgeMs);
  }
}

/** Deletes the given unused blobs immediately: on a full disk, free space matters more than a download in progress. */
export async function deleteBlobsNow(deps: DeleteBlobsDeps, sha256s: readonly string[]): Promise<void> {
  for (const sha256 of sha256s) {
    const blob = await deps.blobs.find(sha256);
    if (blob) {
      await deleteBlobIfUnused(deps, blob, 0);
    }
  }
}

async function deleteBlobIfUnused(
  { database, blobs, clock }: DeleteBlobsDeps,
  blob: BlobInfo,
  minAgeMs: number,
): Promise<void> {
  const isRecent = minAgeMs > 0 && blob.modifiedMs > clock.nowMs() - minAgeMs;
  if (isRecent || (await isBlobUsed(database, blob.sha256))) {
    return;
  }
  // Checked again in a transaction, because uploads and deletions are transactions: a new row is visible, or its
  // upload still holds the blob; deleting a row touched it.
  await blobs.remove(blob, (approve) =>
    database.transaction(
      async (tx) => {
        if (!(await isBlobUsed(tx, blob.sha256))) {
          approve();
        }
      },
      { freesSpace: true },
    ),
  );
}
