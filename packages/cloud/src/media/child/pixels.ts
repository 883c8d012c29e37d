import { refused } from './verdict.ts';
import type { Verdict } from './verdict.ts';

/** Most pixels of a picture, or of one frame: what the largest cameras make. */
export const MAX_PIXELS = 100_000_000;
/** Most pixels of all frames of an animation together: 480 frames in full HD. */
export const MAX_ANIMATION_PIXELS = 1_000_000_000;

/** A picture that is too large to be decoded by a small box; null when it is not. */
export function tooManyPixels(width: number, height: number, frames = 1): Verdict | null {
  if (width * height > MAX_PIXELS)
    return refused(
      'too_many_pixels',
      `The picture has ${width} × ${height} pixels; at most 100 million are accepted.`,
    );
  if (width * height * frames > MAX_ANIMATION_PIXELS)
    return refused(
      'too_many_pixels',
      `The ${frames} frames of ${width} × ${height} pixels have more than 1,000 million together. ` +
        'Send a shorter or smaller animation, or a video.',
    );
  return null;
}
