import type { ManifestAsset } from '@placard/protocol';
import type { CopyChoice } from './content-rendition.ts';
import type { SharedPart } from './device-classes.ts';
import { setMostRecent } from './lru-map.ts';

/** Parts that are kept of one class; it has no more devices with different decoders than devices. */
const MAX_VARIANTS = 1000;

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
  part.variants ??= { byDecoders: new Map(), byCopies: new Map() };
  const { byDecoders, byCopies } = part.variants;
  const known = byDecoders.get(decoders ?? '');
  if (known) {
    return known;
  }
  const choices = part.copied.flatMap((copies) => copies.choiceFor(decoders) ?? []);
  const key = choices.map((choice) => choice.hash).join(' ');
  const found = choices.length === 0 ? part : (byCopies.get(key) ?? variantOf(part, choices, key, hash));
  setMostRecent(byCopies, key, found, MAX_VARIANTS);
  setMostRecent(byDecoders, decoders ?? '', found, MAX_VARIANTS);
  return found;
}

const variantOf = (
  part: SharedPart,
  choices: readonly CopyChoice[],
  key: string,
  hash: (text: string) => string,
): SharedPart => ({
  ...part,
  identity: {},
  variants: null,
  revisionJson: JSON.stringify([hash(part.revisionJson + key)]).slice(1),
  choices,
});

/** The asset, or what the devices of the part get in place of it. */
export const chosenAsset = ({ choices }: SharedPart, asset: ManifestAsset): ManifestAsset => {
  for (const { copies } of choices) {
    const copy = copies.get(asset.id);
    if (copy) {
      return copy;
    }
  }
  return asset;
};
