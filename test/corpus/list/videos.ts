import type { Accepted, Playable } from '../corpus-file.ts';

const LANDSCAPE = { width: 160, height: 90, duration: 1 };
const PORTRAIT = { width: 90, height: 160, duration: 1 };

const video = (
  name: string,
  is: string,
  from: string,
  answer: Omit<Accepted, 'format'> & { format?: string },
): Playable => ({ name, is, from, answer: { format: name.split('.').at(-1) ?? '', ...answer } });

/** Videos that screens with a decoder play. */
export const videos: readonly Playable[] = [
  video(
    'web-video.mp4',
    'H.264 High with B-frames, an edit list, AAC, index first',
    'Export for the web from an editing program',
    {
      ...LANDSCAPE,
      codec: 'avc1.64',
    },
  ),
  video('index-at-the-end.mp4', 'H.264, `moov` after the frames', 'Cameras, and ffmpeg as it is', {
    ...LANDSCAPE,
    codec: 'avc1.64',
  }),
  video('phone-portrait.mp4', 'H.264 with rotation 90, AAC', 'Android phone held upright', {
    ...PORTRAIT,
    codec: 'avc1.64',
  }),
  video('phone-upside-down.mov', 'H.264 with rotation 180', 'iPhone held upside down', {
    ...LANDSCAPE,
    codec: 'avc1.64',
  }),
  video('phone-other-hand.mp4', 'H.264 with rotation 270', 'Phone held upright the other way', {
    ...PORTRAIT,
    codec: 'avc1.64',
  }),
  video(
    'trimmed-on-phone.mov',
    'H.264 of which an edit list hides the first 0.8 s',
    'Trimmed in the photo program of a phone',
    {
      ...LANDSCAPE,
      duration: 1.2,
      codec: 'avc1.64',
    },
  ),
  video(
    'fragmented.mp4',
    'H.264 in fragments, no duration in the header',
    'Recorder of a browser, streaming service',
    {
      ...LANDSCAPE,
      duration: 1.08,
      codec: 'avc1.64',
    },
  ),
  video('screen-recording.mp4', 'H.264 with a variable frame rate', 'Recording of a screen', {
    ...LANDSCAPE,
    codec: 'avc1.64',
  }),
  video('old-camera-baseline.mp4', 'H.264 Baseline, 176 × 144, 15 fps', 'Older phone or webcam', {
    width: 176,
    height: 144,
    duration: 1,
    codec: 'avc1.42',
  }),
  video('camcorder-interlaced.mp4', 'H.264, interlaced', 'Camcorder, television', {
    width: 160,
    height: 96,
    duration: 1,
    codec: 'avc1.64',
  }),
  video('camcorder-anamorphic.mp4', 'H.264, 180 × 144 with pixels of 64:45', 'Digitized DV or PAL tape', {
    width: 256,
    height: 144,
    duration: 1,
    codec: 'avc1.64',
  }),
  video('high-10.mp4', 'H.264 High 10', 'Camera with 10 bit, fan of old films', {
    ...LANDSCAPE,
    codec: 'avc1.6e',
  }),
  video('gif-converter-444.mp4', 'H.264 High 4:4:4, 161 × 91', 'Converter of GIFs, or ffmpeg from pictures', {
    width: 161,
    height: 91,
    duration: 1,
    codec: 'avc1.f4',
  }),
  video('ticker-banner.mp4', 'H.264, 512 × 32', 'For a banner of LEDs', {
    width: 512,
    height: 32,
    duration: 1,
    codec: 'avc1.64',
  }),
  video('sound-longer.mp4', 'H.264 of 1 s with AAC of 3 s', 'Cut in an editing program, with its music', {
    ...LANDSCAPE,
    codec: 'avc1.64',
  }),
  video('one-frame.mp4', 'H.264, a single frame of 40 ms', 'A slide exported as a video', {
    ...LANDSCAPE,
    duration: 0.04,
    codec: 'avc1.64',
  }),
  video('slideshow-1-fps.mp4', 'H.264, 1 fps', 'Slideshow made of pictures', {
    ...LANDSCAPE,
    duration: 2,
    codec: 'avc1.64',
  }),
  video('sport-60-fps.mp4', 'H.264, 60 fps', 'Action camera, game', { ...LANDSCAPE, codec: 'avc1.64' }),
  video('slow-motion-120-fps.mov', 'H.264, 120 fps', 'Slow motion of a phone', {
    ...LANDSCAPE,
    codec: 'avc1.64',
  }),
  video('mov-named.mp4', 'H.264 in MOV, named `.mp4`', 'Renamed by hand', {
    ...LANDSCAPE,
    format: 'mov',
    codec: 'avc1.64',
  }),
  video('camera-hevc.mp4', 'HEVC Main', 'Camera, drone', { ...LANDSCAPE, codec: 'hev1.1' }),
  video('iphone-hevc-hlg.mov', 'HEVC Main 10, HLG, rotation 90', 'iPhone with HDR, held upright', {
    ...PORTRAIT,
    codec: 'hev1.2',
  }),
  video('camera-hevc-hdr10.mp4', 'HEVC Main 10, PQ (HDR10)', 'Camera with HDR', {
    ...LANDSCAPE,
    codec: 'hev1.2',
  }),
  video('av1.mp4', 'AV1 Main', 'Export for the web', { ...LANDSCAPE, codec: 'av01.0' }),
  video('av1-10-bit.mp4', 'AV1 Main, 10 bit', 'Export for the web', { ...LANDSCAPE, codec: 'av01.0' }),
  video('av1.webm', 'AV1 with Opus', 'Recording of a game, export for the web', {
    ...LANDSCAPE,
    codec: 'av01.0',
  }),
  video('vp8.webm', 'VP8 with Opus', 'Older export for the web', { ...LANDSCAPE, codec: 'vp8' }),
  video('browser-recording.webm', 'VP8 without duration and index', 'Recorder of a browser', {
    ...LANDSCAPE,
    codec: 'vp8',
  }),
  video('vp9-50-fps.webm', 'VP9, 50 fps', 'Download from a video site', { ...LANDSCAPE, codec: 'vp09.00' }),
  video('odd-size.webm', 'VP9, 161 × 91', 'Cropped recording of a screen', {
    width: 161,
    height: 91,
    duration: 1,
    codec: 'vp09.00',
  }),
  video('vp9-10-bit-hdr.webm', 'VP9 profile 2, 10 bit, PQ', 'Download of an HDR video', {
    ...LANDSCAPE,
    codec: 'vp09.02',
  }),
  video('vp9-444.webm', 'VP9 profile 1, 4:4:4', 'Recording of a screen with sharp colours', {
    ...LANDSCAPE,
    codec: 'vp09.01',
  }),
  video('overlay-with-alpha.webm', 'VP9 with a transparent part', 'Animated logo from a motion designer', {
    ...LANDSCAPE,
    codec: 'vp09.00',
  }),
];
