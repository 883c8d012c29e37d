import { playsCopyBetter } from './content-rendition.ts';
import type { ContentRendition } from './content-rendition.ts';
import type { SharedPart } from './device-classes.ts';
import { setMostRecent } from './lru-map.ts';

/** Parts that are kept of one class: devices with other decoders may get other files. */
const MAX_VARIANTS = 64;

const getsCopy = ({ demands }: ContentRendition, decoders: string | null): boolean =>
  demands === null || (decoders !== null && playsCopyBetter(decoders, demands));

/**
 * The part of the devices of a class that have these decoders: the one of the class unless they get a copy of something.
 * Devices that get the same copies have the same part.
 *
 * @param decoders as `encodeDecoders` writes them; null: not reported
 */
export function partWithRenditions(
  part: SharedPart,
  decoders: string | null,
  hash: (text: string) => string,
): SharedPart {
  const known = part.variants.get(decoders ?? '');
  if (known) {
    return known;
  }
  const copies = part.renditions.filter((rendition) => getsCopy(rendition, decoders));
  const key = JSON.stringify(copies.map(({ asset }) => [asset.id, asset.sha256]));
  const found = copies.length === 0 ? part : (part.variants.get(key) ?? variantOf(part, copies, key, hash));
  setMostRecent(part.variants, key, found, MAX_VARIANTS);
  setMostRecent(part.variants, decoders ?? '', found, MAX_VARIANTS);
  return found;
}

const variantOf = (
  part: SharedPart,
  copies: readonly ContentRendition[],
  key: string,
  hash: (text: string) => string,
): SharedPart => ({
  ...part,
  revisionJson: JSON.stringify([hash(part.revisionJson + key)]).slice(1),
  copies: new Map(copies.map(({ asset }) => [asset.id, asset])),
});
