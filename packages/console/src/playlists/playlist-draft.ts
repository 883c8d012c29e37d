import type { Asset, Playlist, PlaylistItem } from '@placard/client';

export type Mode = Playlist['mode'];
export const MODES: readonly Mode[] = ['sequential', 'shuffle', 'weighted'];

/** An item as it is edited. */
export interface DraftItem {
  /** The id of the item, or of one that is not saved yet. */
  readonly key: string;
  readonly isNew: boolean;
  readonly contentId: string;
  /** Seconds; null plays a video to its end. */
  readonly duration: number | null;
  readonly weight: number | null;
  readonly content: PlaylistItem['content'];
}

/** A playlist as it is edited. */
export interface Draft {
  readonly name: string;
  readonly mode: Mode;
  readonly items: readonly DraftItem[];
}

/** Seconds of a picture that nobody has given a duration, as in the API. */
const PICTURE_SECONDS = 10;

export const draftOf = ({ name, mode, items }: Playlist): Draft => ({
  name,
  mode,
  items: items.map((item) => ({
    key: item.id,
    isNew: false,
    contentId: item.content_id,
    duration: item.duration,
    weight: item.weight,
    content: item.content,
  })),
});

/** An asset as a new item; `key` is unlike all others. */
export const itemOf = (asset: Asset, key: string): DraftItem => ({
  key,
  isNew: true,
  contentId: asset.id,
  duration: asset.type === 'image' ? PICTURE_SECONDS : null,
  weight: 1,
  content: {
    name: asset.name,
    type: asset.type,
    format: asset.format,
    url: asset.url,
    thumbnail_url: asset.thumbnail_url,
  },
});

/** The body of the request that saves it. */
export const bodyOf = ({ name, mode, items }: Draft) => ({
  name,
  mode,
  items: items.map(({ key, isNew, contentId, duration, weight }) => ({
    ...(!isNew && { id: key }),
    content_id: contentId,
    duration,
    weight: mode === 'weighted' ? (weight ?? 1) : weight,
  })),
});

export const hasBadDuration = ({ duration }: DraftItem): boolean =>
  duration !== null && !(Number.isInteger(duration) && duration >= 1 && duration <= 86_400);

export const hasBadWeight = ({ weight }: DraftItem): boolean =>
  weight !== null && !(Number.isInteger(weight) && weight >= 1 && weight <= 1000);

export const hasProblem = ({ mode, items }: Draft): boolean =>
  items.some((item) => hasBadDuration(item) || (mode === 'weighted' && hasBadWeight(item)));

/** The share of each item in all plays, in per cent. */
export function sharesOf(items: readonly DraftItem[]): number[] {
  const weights = items.map(({ weight }) => Math.max(0, weight ?? 1));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => (sum === 0 ? 0 : (weight / sum) * 100));
}

/** Seconds of one pass; `isComplete` is false while the length of a video in it is not known. */
export function passOf(items: readonly DraftItem[], lengths: ReadonlyMap<string, number>) {
  const seconds = items.map(({ duration, contentId }) => duration ?? lengths.get(contentId));
  return {
    seconds: seconds.reduce<number>((sum, each) => sum + (each ?? 0), 0),
    isComplete: seconds.every((each) => each !== undefined),
  };
}

/** For example 1:05 or 2:00:00. */
export function clockOf(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.round(seconds) % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}
