import { rejectFile } from './inspection-result.ts';
import type { InspectionResult } from './inspection-result.ts';

/** Maximum pixels of an image or frame: what the largest cameras produce. */
export const MAX_PIXELS = 100_000_000;
/** Maximum pixels of all frames of an animation together: 480 frames in full HD. */
export const MAX_ANIMATION_PIXELS = 1_000_000_000;

/** Rejects an image that is too large for a small device to decode; null if it is not. */
export function rejectTooManyPixels(width: number, height: number, frames = 1): InspectionResult | null {
  if (width * height > MAX_PIXELS) {
    return rejectFile(
      'too_many_pixels',
      `The picture has ${width} × ${height} pixels; at most 100 million are accepted. ` +
        'Export it smaller, for example with 3840 × 2160.',
    );
  }
  if (width * height * frames > MAX_ANIMATION_PIXELS) {
    return rejectFile(
      'too_many_pixels',
      `The ${frames} frames of ${width} × ${height} pixels have more than 1,000 million together. ` +
        'Send a shorter or smaller animation, or a video.',
    );
  }
  return null;
}
