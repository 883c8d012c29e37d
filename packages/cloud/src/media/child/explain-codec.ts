import type { InputVideoTrack } from 'mediabunny';

const ACCEPTED = 'MP4 and MOV files need H.264, HEVC or AV1; WebM files need VP8, VP9 or AV1.';
/** Sample entries of MP4 and MOV for tracks that need a key. */
const PROTECTED = ['encv', 'drmi'];

/** Codecs by the names that mediabunny knows or that the file gives them. */
const NAMES: Record<string, string> = {
  avc: 'H.264',
  hevc: 'HEVC',
  vp8: 'VP8',
  vp9: 'VP9',
  av1: 'AV1',
  prores: 'ProRes, which is for editing',
  AVdh: 'DNxHR, which is for editing',
  AVdn: 'DNxHD, which is for editing',
  CFHD: 'CineForm, which is for editing',
  'rle ': 'QuickTime Animation, which is for editing',
  mp4v: 'MPEG-4 Part 2 (DivX, Xvid)',
  jpeg: 'Motion JPEG',
  mjpa: 'Motion JPEG',
  s263: 'H.263',
};

/** Why the codec of a track is refused, and what to do; null when it is accepted. */
export async function explainCodec(track: InputVideoTrack, isAccepted: boolean): Promise<string | null> {
  const internal = String(await track.getInternalCodecId());
  if (PROTECTED.includes(internal)) {
    return 'The video is protected against copying (DRM), so that only the programs of its shop can play it. Send a version without protection.';
  }
  if (isAccepted) {
    return null;
  }
  const codec = await track.getCodec();
  const name = NAMES[codec ?? internal] ?? codec ?? 'an unknown codec';
  return `The video is encoded as ${name}. ${ACCEPTED} Export it as MP4 with H.264.`;
}
