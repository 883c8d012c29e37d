import { PlacardError } from '@placard/client';
import type { PlacardClient } from '@placard/client';

/**
 * Puts the new asset where the old one is in playlists, then deletes the old one. Resolves to false when the key may not
 * delete: the old asset then stays, in no playlist.
 */
export async function replaceAsset(
  placard: PlacardClient,
  { oldId, newId }: { oldId: string; newId: string },
  signal: AbortSignal,
): Promise<boolean> {
  for await (const { id } of placard.playlists.list({ content_id: oldId }, { signal })) {
    const { data, etag } = await placard.request('GET /v1/playlists/{id}', { path: { id }, signal });
    const items = data.items.map(({ content_id: contentId, duration, weight }) => ({
      content_id: contentId === oldId ? newId : contentId,
      duration,
      ...(weight !== null && { weight }),
    }));
    // Somebody may change the playlist at the same time.
    await placard.playlists.update(id, { items }, { signal, ifMatch: etag ?? undefined });
  }
  return deleteAsset(placard, oldId, signal);
}

/** False when the key may not delete. */
export async function deleteAsset(placard: PlacardClient, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    await placard.content.delete(id, { signal });
    return true;
  } catch (error) {
    if (error instanceof PlacardError && error.code === 'INSUFFICIENT_SCOPE') {
      return false;
    }
    throw error;
  }
}
