import type { BlobStore, Received } from '../../blob/blob-store.ts';
import { refusal } from '../../domain/refusal.ts';
import { inspectFile } from '../../media/inspect.ts';
import type { Repositories, Work } from '../../store/store.ts';
import type { HttpDeps } from '../deps.ts';
import { presentAsset } from '../present.ts';
import { requireAsset } from './content.ts';
import { requireFolder } from './folders.ts';

export interface Description {
  name: string;
  tags: readonly string[];
  folderId: string | null;
}

/** Looks at bytes that arrived, keeps them and answers with how to write the asset's row. */
export async function acceptFile(
  received: Received,
  about: Description,
  deps: Pick<HttpDeps, 'newId' | 'links'> & { blobs: BlobStore; store: Repositories },
) {
  if (about.folderId !== null) await requireFolder(deps.store, about.folderId);
  const found = await inspectFile(received.path);
  if (typeof found === 'string') throw refusal('UNSUPPORTED_MEDIA_TYPE', found);
  await received.keep();
  const thumbnail = found.thumbnail ? `${await deps.blobs.put(found.thumbnail)}.webp` : null;

  return async (work: Work, nowMs: number) => {
    if (about.folderId !== null) await requireFolder(work, about.folderId);
    const id = deps.newId('asset');
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
        thumbnail,
        folder_id: about.folderId,
        created_at: nowMs,
        updated_at: nowMs,
      },
      about.tags,
    );
    const data = presentAsset(await requireAsset(work, id), deps.links);
    await work.notify({ type: 'content.created', resource: id, data: { content: data } });
    return { data };
  };
}
