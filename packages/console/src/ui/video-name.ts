import type { VideoWarning } from '@placard/client';

const CODECS: Record<string, string> = { h264: 'H.264', hevc: 'HEVC', vp9: 'VP9', av1: 'AV1' };

/** A class of videos in every language: `HEVC 4K 60p 10 bit`, `HEVC > 4K 60p`; what is usual is left out. */
export const videoName = ({ codec, width, frame_rate, bit_depth, exceeded }: VideoWarning['video']): string =>
  [
    CODECS[codec] ?? codec,
    ...(exceeded ? ['>'] : []),
    ...(width > 1920 ? ['4K'] : []),
    ...(frame_rate > 30 ? [`${frame_rate}p`] : []),
    ...(bit_depth > 8 ? [`${bit_depth} bit`] : []),
  ].join(' ');
