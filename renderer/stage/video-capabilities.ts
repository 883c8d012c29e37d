import type { VideoCapability } from '@placard/protocol/stage';

type VideoProfile = Pick<VideoCapability, 'codec' | 'width' | 'height'> & { contentType: string };

const FULL_HD = { width: 1920, height: 1080 };
const ULTRA_HD = { width: 3840, height: 2160 };
const VIDEO_PROFILES: VideoProfile[] = [
  { codec: 'h264', ...FULL_HD, contentType: 'video/mp4; codecs="avc1.640028"' },
  { codec: 'h264', ...ULTRA_HD, contentType: 'video/mp4; codecs="avc1.640033"' },
  { codec: 'hevc', ...FULL_HD, contentType: 'video/mp4; codecs="hvc1.1.6.L120.90"' },
  { codec: 'hevc', ...ULTRA_HD, contentType: 'video/mp4; codecs="hvc1.1.6.L150.90"' },
  { codec: 'vp9', ...FULL_HD, contentType: 'video/webm; codecs="vp09.00.40.08"' },
  { codec: 'vp9', ...ULTRA_HD, contentType: 'video/webm; codecs="vp09.00.50.08"' },
  { codec: 'av1', ...FULL_HD, contentType: 'video/mp4; codecs="av01.0.08M.08"' },
  { codec: 'av1', ...ULTRA_HD, contentType: 'video/mp4; codecs="av01.0.12M.08"' },
];
const FRAMES_PER_SECOND = 30;
/** Typical for signage: 8 Mbit/s at full HD, four times that at 4K. */
const typicalBitrate = ({ width, height }: VideoProfile) =>
  Math.round((8_000_000 * width * height) / (1920 * 1080));

/** Asks the browser about the usual video formats; decodes nothing. */
export async function queryVideoCapabilities(): Promise<VideoCapability[]> {
  return Promise.all(VIDEO_PROFILES.map(queryCapability));
}

async function queryCapability(profile: VideoProfile): Promise<VideoCapability> {
  const { codec, width, height, contentType } = profile;
  const { supported, smooth, powerEfficient } = await navigator.mediaCapabilities.decodingInfo({
    type: 'file',
    video: { contentType, width, height, bitrate: typicalBitrate(profile), framerate: FRAMES_PER_SECOND },
  });
  return { codec, width, height, supported, smooth, power_efficient: powerEfficient };
}
