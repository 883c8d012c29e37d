import type { ManifestAsset } from '@placard/protocol';
import { problemOf } from './decoders.ts';
import type { DecoderProblem } from './decoders.ts';
import { setMostRecent } from './lru-map.ts';
import { demandKey } from './video-classes.ts';
import type { VideoDemand } from './video-classes.ts';

/** What the original and its copy need of a decoder. */
export interface RenditionDemands {
  readonly original: VideoDemand;
  readonly copy: VideoDemand;
}

/** A copy of an asset that plays on more devices. */
export interface ContentRendition {
  /** The asset with the file of the copy. */
  readonly asset: ManifestAsset;
  /** Null for a picture, of which every device gets the copy. */
  readonly demands: RenditionDemands | null;
}

/** The copies of a playlist that some devices get. */
export interface CopyChoice {
  readonly hash: string;
  /** By the id of the asset. */
  readonly copies: ReadonlyMap<string, ManifestAsset>;
}

/** The copies of a playlist. */
export interface PlaylistCopies {
  /** Equal copies, equal hash. */
  readonly hash: string;
  /**
   * Those that a device with these decoders gets; null: none. Computed once for all classes of devices; the same object
   * for devices that get the same.
   */
  choiceFor(decoders: string | null): CopyChoice | null;
}

/** Different texts of decoders that are kept. */
const MAX_TEXTS = 1000;

/** The worse, the more. */
const badness = (problem: DecoderProblem | null): number =>
  problem === 'cannot_decode' ? 2 : problem === 'not_smooth' ? 1 : 0;

/** Whether a device with these decoders plays the copy better than the original. */
export const playsCopyBetter = (decoders: string, { original, copy }: RenditionDemands): boolean =>
  badness(problemOf(decoders, copy)) < badness(problemOf(decoders, original));

/** What a device does with a video that has a copy, or none. */
export const problemWithCopy = (
  decoders: string,
  original: VideoDemand,
  copy: VideoDemand | null,
): DecoderProblem | null =>
  problemOf(decoders, copy && playsCopyBetter(decoders, { original, copy }) ? copy : original);

export function createPlaylistCopies(
  renditions: readonly ContentRendition[],
  hash: (text: string) => string,
): PlaylistCopies {
  const hashOf = (some: readonly ContentRendition[]) =>
    hash(JSON.stringify(some.map(({ asset }) => [asset.id, asset.sha256])));
  // Of thousands of files few differ in what they need.
  const groups = [...Map.groupBy(renditions, ({ demands }) => groupKey(demands)).values()];
  const choices = new Map<string, CopyChoice | null>();
  const choiceOfText = new Map<string, CopyChoice | null>();

  const choose = (decoders: string | null): CopyChoice | null => {
    const chosen = groups.filter(([any]) => any && getsCopy(any, decoders));
    const key = chosen.map((group) => groups.indexOf(group)).join(' ');
    const known = choices.get(key);
    if (known !== undefined) {
      return known;
    }
    const copies = chosen.flat();
    const choice =
      copies.length === 0
        ? null
        : { hash: hashOf(copies), copies: new Map(copies.map(({ asset }) => [asset.id, asset])) };
    choices.set(key, choice);
    return choice;
  };

  return {
    hash: hashOf(renditions),
    choiceFor(decoders) {
      const known = choiceOfText.get(decoders ?? '');
      if (known !== undefined) {
        return known;
      }
      const choice = choose(decoders);
      setMostRecent(choiceOfText, decoders ?? '', choice, MAX_TEXTS);
      return choice;
    },
  };
}

const getsCopy = ({ demands }: ContentRendition, decoders: string | null): boolean =>
  demands === null || (decoders !== null && playsCopyBetter(decoders, demands));

const groupKey = (demands: RenditionDemands | null): string =>
  demands === null ? '' : [demands.original, demands.copy].map(demandKey).join(' ');
