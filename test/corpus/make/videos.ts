import { changed, from, run, tone, video } from './tools.ts';
import type { Recipe } from './tools.ts';

const H264 = '-c:v libx264 -crf 32 -pix_fmt yuv420p';
const hevc = (parameters = '') =>
  `-c:v libx265 -crf 34 -tag:v hvc1 -preset ultrafast -x265-params log-level=error:info=0:pools=none${parameters}`;
const AV1 = '-c:v libaom-av1 -cpu-used 8 -crf 50 -b:v 0';
const VP9 = '-c:v libvpx-vp9 -crf 50 -b:v 0 -deadline realtime -cpu-used 8';
const VP8 = '-c:v libvpx -crf 50 -b:v 200k -deadline realtime -cpu-used 8 -pix_fmt yuv420p';
const AAC = '-c:a aac -b:a 24k -ac 1';
const OPUS = '-c:a libopus -b:a 16k -ac 1';
/** Colour of HDR: 10 bits, BT.2020 with this transfer function. */
const hdr = (transfer: string) =>
  `-pix_fmt yuv420p10le -color_primaries bt2020 -color_trc ${transfer} -colorspace bt2020nc`;

const PORTRAIT = { width: 90, height: 160 };
/** Stored turned, with how many degrees clockwise a player has to turn it back. */
const TURNS = {
  90: { filter: 'transpose=2', matrix: [0, 1, -1, 0] },
  180: { filter: 'hflip,vflip', matrix: [-1, 0, 0, -1] },
  270: { filter: 'transpose=1', matrix: [0, -1, 1, 0] },
} as const;

function turned(ending: 'mp4' | 'mov', degrees: keyof typeof TURNS, options: string): Recipe {
  const { filter, matrix } = TURNS[degrees];
  const recipe = video(degrees === 180 ? {} : PORTRAIT, `${options} -vf ${filter}`);
  return changed({ ending, recipe }, (bytes) => withMatrix(bytes, matrix));
}

/** Sets the rotation of the first track. Versions of ffmpeg have different options for that. */
function withMatrix(movie: Buffer, [a, b, c, d]: (typeof TURNS)[keyof typeof TURNS]['matrix']): Buffer {
  const box = movie.indexOf('tkhd');
  const [width, height] = [movie.readUInt32BE(box + 80), movie.readUInt32BE(box + 84)];
  const ONE = 0x10000;
  const right = a + c < 0 ? (a === 0 ? height : width) : 0;
  const down = b + d < 0 ? (d === 0 ? width : height) : 0;
  const rows = [a * ONE, b * ONE, 0, c * ONE, d * ONE, 0, right, down, 0x40000000];
  for (const [i, value] of rows.entries()) {
    movie.writeInt32BE(value, box + 44 + 4 * i);
  }
  return movie;
}

export const videos: Readonly<Record<string, Recipe>> = {
  // H.264
  'phone-portrait.mp4': turned('mp4', 90, `${tone(1)} ${H264} ${AAC}`),
  'phone-upside-down.mov': turned('mov', 180, H264),
  'phone-other-hand.mp4': turned('mp4', 270, H264),
  'web-video.mp4': video({}, `${tone(1)} ${H264} ${AAC} -bf 3 -b_strategy 0 -movflags +faststart`),
  'index-at-the-end.mp4': video({}, H264),
  'fragmented.mp4': video({}, `${H264} -movflags +frag_keyframe+empty_moov+default_base_moof`),
  'trimmed-on-phone.mov': from({ ending: 'mov', recipe: video({ seconds: 2 }, H264) }, (whole, path) =>
    run('ffmpeg', ['-y', '-loglevel', 'error', '-ss', '0.8', '-i', whole, '-c', 'copy', path]),
  ),
  'screen-recording.mp4': video({ fps: 30 }, `${H264} -vf select=lt(n\\,6)+gt(n\\,20) -fps_mode vfr`),
  'old-camera-baseline.mp4': video(
    { width: 176, height: 144, fps: 15 },
    `${H264} -profile:v baseline -level 1.2`,
  ),
  'camcorder-interlaced.mp4': video(
    { width: 160, height: 96 },
    `${H264} -flags +ildct+ilme -x264-params tff=1`,
  ),
  'camcorder-anamorphic.mp4': video({ width: 180, height: 144 }, `${H264} -vf setsar=64/45`),
  'high-10.mp4': video({}, '-c:v libx264 -crf 32 -pix_fmt yuv420p10le'),
  'gif-converter-444.mp4': video({ width: 161, height: 91 }, '-c:v libx264 -crf 32 -pix_fmt yuv444p'),
  'ticker-banner.mp4': video({ width: 512, height: 32 }, H264),
  'sound-longer.mp4': video({}, `${tone(3)} ${H264} ${AAC}`),
  'one-frame.mp4': video({ seconds: 0.04 }, H264),
  'slideshow-1-fps.mp4': video({ fps: 1, seconds: 2 }, H264),
  'sport-60-fps.mp4': video({ fps: 60 }, H264),
  'slow-motion-120-fps.mov': video({ fps: 120 }, H264),
  'mov-named.mp4': video({}, `${H264} -f mov`),
  // HEVC
  'camera-hevc.mp4': video({}, `${hevc()} -pix_fmt yuv420p`),
  'iphone-hevc-hlg.mov': turned('mov', 90, `${hevc()} ${hdr('arib-std-b67')}`),
  'camera-hevc-hdr10.mp4': video({}, `${hevc(':hdr10=1')} ${hdr('smpte2084')}`),
  // AV1
  'av1.mp4': video({}, `${AV1} -pix_fmt yuv420p`),
  'av1-10-bit.mp4': video({}, `${AV1} -pix_fmt yuv420p10le`),
  'av1.webm': video({}, `${tone(1)} ${AV1} -pix_fmt yuv420p ${OPUS}`),
  // VP8 and VP9
  'vp8.webm': video({}, `${tone(1)} ${VP8} ${OPUS}`),
  'browser-recording.webm': video({}, `${VP8} -f webm -live 1`),
  'vp9-50-fps.webm': video({ fps: 50 }, `${VP9} -pix_fmt yuv420p`),
  'odd-size.webm': video({ width: 161, height: 91 }, `${VP9} -pix_fmt yuv420p`),
  'vp9-10-bit-hdr.webm': video({}, `${VP9} -profile:v 2 ${hdr('smpte2084')}`),
  'vp9-444.webm': video({}, `${VP9} -profile:v 1 -pix_fmt yuv444p`),
  'overlay-with-alpha.webm': video(
    {},
    "-vf format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='255*gt(hypot(X-80\\,Y-45)\\,12)' " +
      `${VP9} -pix_fmt yuva420p -auto-alt-ref 0`,
  ),
};
