import type { RenditionKind } from '@placard/protocol/api';
import { VIDEO_CLASSES } from '@placard/protocol';
import type { RenditionDemands } from './content-rendition.ts';
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

/** What a video and its rendition need of a decoder; null when nobody knows. */
export function demandsOfRendition(video: StoredVideo): RenditionDemands | null {
  const { width, height, frame_rate: rate } = video;
  const scale = Math.min(
    1,
    VIDEO_BOX.long / Math.max(width, height),
    VIDEO_BOX.short / Math.min(width, height),
  );
  const original = findDemand(video);
  const copy = findDemand({
    codec: 'avc1.640028',
    width: Math.round(width * scale),
    height: Math.round(height * scale),
    frame_rate: rate === null ? null : Math.min(rate, MAX_FRAME_RATE),
  });
  return original && copy ? { original, copy } : null;
}
