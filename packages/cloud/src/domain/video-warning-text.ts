import type { VideoWarning } from '@placard/protocol/api';
import type { DecoderProblem } from './decoders.ts';

/** Content that the text names. */
const MAX_NAMED = 3;
const CODEC_NAMES: Record<string, string> = { h264: 'H.264', hevc: 'HEVC', vp9: 'VP9', av1: 'AV1' };

/** What the warning says, in one line: `12 screens cannot decode HEVC 4K: Counter, Window and 10 more. Videos: “Intro”.` */
export function describeVideoWarning(
  problem: DecoderProblem,
  { video, device_count, devices, content, content_count }: Omit<VideoWarning, 'code' | 'message'>,
): string {
  const isOne = device_count === 1;
  const screens = `${device_count.toLocaleString('en')} ${isOne ? 'screen' : 'screens'}`;
  const what = describeVideo(video);
  const does =
    problem === 'cannot_decode'
      ? `cannot${video.exceeded ? ', as far as is known,' : ''} decode ${what}`
      : `${isOne ? 'does' : 'do'} not play ${what} smoothly`;
  const names = withRest(
    devices.map(({ name }) => name),
    device_count,
  );
  const videos = withRest(
    content.slice(0, MAX_NAMED).map(({ name }) => `“${name}”`),
    content_count,
  );
  return `${screens} ${does}: ${names}. ${content_count === 1 ? 'Video' : 'Videos'}: ${videos}.`;
}

/** Such as `HEVC 4K, 60 frames per second, 10 bit`; what is usual is left out. */
function describeVideo({ codec, width, frame_rate, bit_depth, exceeded }: VideoWarning['video']): string {
  const name = CODEC_NAMES[codec] ?? codec;
  const size = width > 1920 ? ' 4K' : '';
  return [
    ...(exceeded
      ? [`${name} of more than${size} or ${frame_rate} frames per second`]
      : [`${name}${size}`, ...(frame_rate > 30 ? [`${frame_rate} frames per second`] : [])]),
    ...(bit_depth > 8 ? [`${bit_depth} bit`] : []),
  ].join(', ');
}

const withRest = (names: readonly string[], count: number): string =>
  names.length < count
    ? `${names.join(', ')} and ${(count - names.length).toLocaleString('en')} more`
    : names.join(', ');
