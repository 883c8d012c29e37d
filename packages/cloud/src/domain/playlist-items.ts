import type { ItemInput } from '@placard/protocol/api';

export interface PlaylistItem {
  id: string;
  content_id: string;
  duration: number | null;
  weight: number | null;
}

/** Default duration of an image in seconds. */
const DEFAULT_IMAGE_SECONDS = 10;

/** Duration of an item in whole seconds: as given, else 10 for an image and null (natural length) for a video. */
export function resolveItemDuration(given: number | null | undefined, contentType: string): number | null {
  return given ?? (contentType === 'image' ? DEFAULT_IMAGE_SECONDS : null);
}

/**
 * Assigns ids to the new items. An item sent with an existing id, or else with the same content as an existing item,
 * keeps that id, so that players continue from the same position.
 */
export function assignItemIds(
  before: readonly PlaylistItem[],
  sent: readonly ItemInput[],
  contentTypeOf: (contentId: string) => string,
  newId: () => string,
): PlaylistItem[] {
  const unclaimed = new Map(before.map((item) => [item.id, item]));
  const claimId = (id: string | undefined): string | undefined =>
    id !== undefined && unclaimed.delete(id) ? id : undefined;
  const idBySentId = sent.map((item) => claimId(item.id));
  // Last first, because `pop` takes from the end.
  const unclaimedByContent = Map.groupBy([...unclaimed.values()].toReversed(), (item) => item.content_id);
  return sent.map((item, index) => {
    const claimByContent = () => unclaimedByContent.get(item.content_id)?.pop()?.id;
    return {
      id: idBySentId[index] ?? claimByContent() ?? newId(),
      content_id: item.content_id,
      duration: resolveItemDuration(item.duration, contentTypeOf(item.content_id)),
      weight: item.weight ?? null,
    };
  });
}
