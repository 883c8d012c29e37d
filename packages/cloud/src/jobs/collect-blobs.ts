import type { BlobInfo, BlobStore } from '../blob/blob-store.ts';
import type { Clock } from '../domain/clock.ts';
import type { Store } from '../store/store.ts';

/** A screen may still be fetching what was removed just now, which touched its file. */
export const YOUNG_MS = 3_600_000;

export interface CollectDeps {
  store: Store;
  blobs: BlobStore;
  clock: Pick<Clock, 'nowMs'>;
}

/** Removes bytes that no asset names any more, and that were neither put nor touched for so long. */
export async function collectBlobs(deps: CollectDeps, youngMs: number): Promise<void> {
  for await (const blob of deps.blobs.list()) await collectBlob(deps, blob, youngMs);
}

/** The same for these alone, at once: room on a full disk counts more than a download that just began. */
export async function collectNow(deps: CollectDeps, sha256s: readonly string[]): Promise<void> {
  for (const sha256 of sha256s) {
    const blob = await deps.blobs.find(sha256);
    if (blob) await collectBlob(deps, blob, 0);
  }
}

async function collectBlob(
  { store, blobs, clock }: CollectDeps,
  blob: BlobInfo,
  youngMs: number,
): Promise<void> {
  const nowMs = clock.nowMs();
  const isYoung = ({ modifiedMs }: BlobInfo) => youngMs > 0 && modifiedMs > nowMs - youngMs;
  if (isYoung(blob) || (await store.assets.usesBlob(blob.sha256))) return;
  // Again in a transaction, for uploads and removals are one each: a row that came is there, or its upload
  // still holds the file; for a row that went the file was touched.
  await store.transaction(
    async (work) => {
      if (await work.assets.usesBlob(blob.sha256)) return;
      const now = await blobs.find(blob.sha256);
      if (now && !isYoung(now)) blobs.removeUnlessHeld(blob.sha256);
    },
    { frees: true },
  );
}
