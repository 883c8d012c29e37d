import type { BlobStore } from '../../blob/blob-store.ts';
import type { Row } from '../../database/schema.ts';

/** Players may still be downloading the files of an asset: their hour of grace starts now, not at upload. Returns the hashes. */
export async function startGrace(
  { sha256, thumbnail }: Pick<Row<'assets'>, 'sha256' | 'thumbnail'>,
  blobs: Pick<BlobStore, 'touch'>,
): Promise<string[]> {
  const hashes = thumbnail === null ? [sha256] : [sha256, thumbnail.replace(/\.webp$/, '')];
  for (const hash of hashes) {
    await blobs.touch(hash);
  }
  return hashes;
}
