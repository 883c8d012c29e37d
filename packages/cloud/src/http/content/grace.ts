import type { Row } from '../../database/schema.ts';
import type { HttpDeps } from '../deps.ts';

/** Players may still be downloading the files of an asset: their hour of grace starts now, not at upload. Returns the hashes. */
export async function startGrace(
  { id, sha256, thumbnail }: Pick<Row<'assets'>, 'id' | 'sha256' | 'thumbnail'>,
  { database, blobs }: Pick<HttpDeps, 'database' | 'blobs'>,
): Promise<string[]> {
  const renditions = await database.renditions.list(id);
  const hashes = [
    sha256,
    ...(thumbnail === null ? [] : [thumbnail.replace(/\.webp$/, '')]),
    ...renditions.flatMap((rendition) => rendition.sha256 ?? []),
  ];
  for (const hash of hashes) {
    await blobs.touch(hash);
  }
  return hashes;
}
