import type { ItemInput } from '@placard/protocol/api';

export interface Item {
  id: string;
  content_id: string;
  duration: number | null;
  weight: number | null;
}

/** Seconds that an image shows when nothing is said. */
const IMAGE_SECONDS = 10;

/** Whole seconds of an item: as said, else 10 for an image and the natural length (null) for a video. */
export function itemDuration(given: number | null | undefined, contentType: string): number | null {
  return given ?? (contentType === 'image' ? IMAGE_SECONDS : null);
}

/**
 * New items with ids: one sent with its id, or else with the same content as one that was there, keeps the
 * id, so that screens go on where they were.
 */
export function matchItems(
  before: readonly Item[],
  sent: readonly ItemInput[],
  contentTypeOf: (contentId: string) => string,
  newId: () => string,
): Item[] {
  const free = new Map(before.map((item) => [item.id, item]));
  const take = (id: string | undefined): string | undefined =>
    id !== undefined && free.delete(id) ? id : undefined;
  const byId = sent.map((item) => take(item.id));
  // What is left is looked up by its content, the last first: the end of a list is quickly taken off.
  const left = Map.groupBy([...free.values()].toReversed(), (item) => item.content_id);
  return sent.map((item, index) => {
    const sameContent = () => left.get(item.content_id)?.pop()?.id;
    return {
      id: byId[index] ?? sameContent() ?? newId(),
      content_id: item.content_id,
      duration: itemDuration(item.duration, contentTypeOf(item.content_id)),
      weight: item.weight ?? null,
    };
  });
}
