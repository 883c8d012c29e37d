import type { Asset } from '@placard/protocol/api';
import type { Received } from '../../blob/blob-store.ts';
import { refusal } from '../../domain/refusal.ts';
import type { Inspected } from '../../media/messages.ts';
import type { Work } from '../../store/store.ts';
import type { Answer } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { presentAsset } from '../present.ts';
import { requireRoom } from '../require.ts';
import { requireAsset } from './content.ts';
import { requireFolder } from './folders.ts';

export interface Description {
  name: string;
  tags: readonly string[];
  folderId: string | null;
}

type AcceptDeps = Pick<HttpDeps, 'store' | 'blobs' | 'links' | 'newId' | 'media'>;
type Commit = (write: (work: Work) => Promise<Answer<Asset>>) => Promise<Answer<Asset>>;

/** Makes an asset of bytes that arrived, or leaves nothing of them. `owner` is whose turn it takes to be looked at. */
export async function acceptFile(
  received: Received,
  { about, owner, nowMs }: { about: Description; owner: string; nowMs: number },
  deps: AcceptDeps,
  commit: Commit,
): Promise<Answer<Asset>> {
  let thumbnail: Received | null = null;
  try {
    if (about.folderId !== null) await requireFolder(deps.store, about.folderId);
    requireRoom({ assets: (await deps.store.assets.count()) + 1 }, '');
    const found = await deps.media.inspect(received.path, owner);
    if ('reason' in found)
      throw refusal('UNSUPPORTED_MEDIA_TYPE', found.message, { details: { reason: found.reason } });
    await received.keep();
    if (found.thumbnail) thumbnail = await deps.blobs.put(found.thumbnail);
    const files = { received, found, thumbnail };
    return await commit((work) => writeAsset(work, files, about, nowMs, deps));
  } finally {
    await received.release();
    await thumbnail?.release();
  }
}

async function writeAsset(
  work: Work,
  { received, found, thumbnail }: { received: Received; found: Inspected; thumbnail: Received | null },
  about: Description,
  nowMs: number,
  { newId, links }: AcceptDeps,
): Promise<Answer<Asset>> {
  if (about.folderId !== null) await requireFolder(work, about.folderId);
  const small = thumbnail && `${thumbnail.sha256}.webp`;
  // The same bytes are looked at anew: assets that have them already get their small picture too, when theirs was missing or damaged.
  if (small) await work.assets.setThumbnail(received.sha256, small);
  const id = newId('asset');
  await work.assets.insert(
    {
      id,
      name: about.name,
      type: found.type,
      format: found.format,
      width: found.width,
      height: found.height,
      size: received.size,
      duration: found.durationSeconds,
      sha256: received.sha256,
      thumbnail: small,
      thumbnail_fault: found.thumbnailFault,
      folder_id: about.folderId,
      created_at: nowMs,
      updated_at: nowMs,
    },
    about.tags,
  );
  requireRoom({ assets: await work.assets.count() }, '');
  const data = presentAsset(await requireAsset(work, id), links);
  await work.notify({ type: 'content.created', resource: id, data: { content: data } });
  return { data };
}
