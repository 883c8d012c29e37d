import { VIDEO_CLASSES } from '@placard/protocol/stage';
import type { VideoCapability, VideoClass, VideoCodec } from '@placard/protocol/stage';

/** The type of a file of each codec, with levels 4.0, 4.1, 5.0 and 5.1, or 4.0, 4.2, 5.1 and 5.2 of H.264. */
const CODECS: Record<
  VideoCodec,
  { levels: readonly string[]; type: (level: string, isDeep: boolean) => string }
> = {
  h264: {
    levels: ['28', '2A', '33', '34'],
    type: (level, isDeep) => `video/mp4; codecs="avc1.${isDeep ? '6E' : '64'}00${level}"`,
  },
  hevc: {
    levels: ['120', '123', '150', '153'],
    type: (level, isDeep) => `video/mp4; codecs="hvc1.${isDeep ? '2.4' : '1.6'}.L${level}.90"`,
  },
  vp9: {
    levels: ['40', '41', '50', '51'],
    type: (level, isDeep) =>
      `video/webm; codecs="vp09.${isDeep ? '02' : '00'}.${level}.${isDeep ? '10' : '08'}"`,
  },
  av1: {
    levels: ['08', '09', '12', '13'],
    type: (level, isDeep) => `video/mp4; codecs="av01.0.${level}M.${isDeep ? '10' : '08'}"`,
  },
};

/** The type of a file with the lowest level that has the class. */
function contentTypeOf({ codec, bit_depth, width, frame_rate }: VideoClass): string {
  const { levels, type } = CODECS[codec];
  const level = levels[(width > 1920 ? 2 : 0) + (frame_rate > 30 ? 1 : 0)] ?? '';
  return type(level, bit_depth > 8);
}

/** Typical for signage: 8 Mbit/s at full HD and 30 frames a second, four times that at 4K. */
const typicalBitrate = ({ width, height, frame_rate }: VideoClass) =>
  Math.round((8_000_000 * width * height * frame_rate) / (1920 * 1080 * 30));

/** Asks the browser about each class of videos; decodes nothing. */
export async function queryVideoCapabilities(): Promise<VideoCapability[]> {
  return Promise.all(VIDEO_CLASSES.map(queryCapability));
}

async function queryCapability(video: VideoClass): Promise<VideoCapability> {
  const { width, height, frame_rate } = video;
  const { supported, smooth, powerEfficient } = await navigator.mediaCapabilities.decodingInfo({
    type: 'file',
    video: {
      contentType: contentTypeOf(video),
      width,
      height,
      bitrate: typicalBitrate(video),
      framerate: frame_rate,
    },
  });
  return { ...video, supported, smooth, power_efficient: powerEfficient };
}
