import type { RenditionKind } from '@placard/protocol/api';
import { VIDEO_CLASSES } from '@placard/protocol';
import { MAX_FRAME_RATE, STILL_PIXELS, VIDEO_BOX } from './rendition-sizes.ts';
import { findDemand } from './video-classes.ts';
import type { StoredVideo } from './video-classes.ts';

/** What is known of a file that a rendition could be made of. */
export interface RenditionSource extends StoredVideo {
  type: 'image' | 'video';
}

/** The kind of rendition that plays where the file does not; null when no file plays on more screens, or nobody knows. */
export function renditionKindOf(source: RenditionSource): RenditionKind | null {
  if (source.type === 'image') {
    return Math.max(source.width, source.height) > STILL_PIXELS ? 'still_3840' : null;
  }
  const demand = findDemand(source);
  const needed = demand && VIDEO_CLASSES[demand.index];
  if (!needed) {
    return null;
  }
  const { codec, bit_depth: depth, width, frame_rate: rate } = needed;
  const isPlain = codec === 'h264' && depth === 8 && width <= VIDEO_BOX.long && rate <= MAX_FRAME_RATE;
  return isPlain ? null : 'h264_1080p30';
}
