import type { ManifestAsset } from '@placard/protocol';
import { problemOf } from './decoders.ts';
import type { DecoderProblem } from './decoders.ts';
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

/** Whether both have the same files. */
export const areSameRenditions = (a: readonly ContentRendition[], b: readonly ContentRendition[]): boolean =>
  a.length === b.length &&
  a.every(
    ({ asset: { id, sha256 } }, index) => id === b[index]?.asset.id && sha256 === b[index].asset.sha256,
  );
