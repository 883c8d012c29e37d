import {
  ALL_FORMATS,
  Conversion,
  FilePathSource,
  FilePathTarget,
  Input,
  Mp4OutputFormat,
  Output,
  Quality,
  VideoSampleSink,
} from 'mediabunny';
import type { ConversionAudioOptions, InputAudioTrack, InputVideoTrack, VideoSample } from 'mediabunny';
import { MAX_FRAME_RATE, VIDEO_BOX } from '../../domain/rendition-sizes.ts';
import { loadDecoder } from '../child/decoder.ts';
import type { RefusalReason, RenditionOrder, RenditionReport } from '../rendition-messages.ts';

/** Bits per second of a video in full HD; smaller ones get as many for each pixel. */
const BIT_RATE = 8_000_000;
/** Less does not look good in full HD, so longer videos get no rendition. */
const LEAST_BIT_RATE = 1_000_000;
/** So much of the largest file is for the pictures; sound and index take the rest. */
const PICTURE_SHARE = 0.8;
const KEY_FRAME_SECONDS = 2;
/** Sound that MP4 and every player can have. */
const KEPT_SOUND = ['aac', 'mp3', 'opus', 'flac'];
const SOUND_BIT_RATE = 192_000;

const failed = (reason: RefusalReason, message: string): RenditionReport => ({
  type: 'failed',
  reason,
  message,
});

/** The video in H.264 with 8 bits, in at most full HD and 30 frames a second; as long as the original, to the frame. */
export async function makeVideo({ from, to, maxBytes }: RenditionOrder): Promise<RenditionReport> {
  const missing = await loadDecoder();
  if (missing !== null) {
    return failed('no_encoder', `The package @mediabunny/server cannot be used: ${missing}`);
  }
  const input = new Input({ source: new FilePathSource(from), formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  if (!track) {
    return failed('undecodable', 'The file has no video track.');
  }
  if (await isHighDynamicRange(track)) {
    return failed('high_dynamic_range', 'The colours of a video in HDR would be wrong in H.264 with 8 bits.');
  }
  const size = await fittingSize(track);
  const bitRate = Math.max(
    LEAST_BIT_RATE,
    (BIT_RATE * size.width * size.height) / (VIDEO_BOX.long * VIDEO_BOX.short),
  );
  const largestRate = (maxBytes * 8 * PICTURE_SHARE) / (await track.computeDuration());
  if (largestRate < LEAST_BIT_RATE) {
    return failed('too_long', 'The video is too long: its file would be too large, or look bad.');
  }
  const conversion = await Conversion.init({
    input,
    // The index at the end: players have the whole file before they open it.
    output: new Output({ format: new Mp4OutputFormat({ fastStart: false }), target: new FilePathTarget(to) }),
    tracks: 'primary',
    tags: {},
    showWarnings: false,
    video: {
      codec: 'avc',
      quality: new Quality({ bitrate: Math.round(Math.min(bitRate, largestRate)), bitrateMode: 'variable' }),
      keyFrameInterval: KEY_FRAME_SECONDS,
      hardwareAcceleration: 'prefer-software',
      forceTranscode: true,
      ...(size.isOriginal ? {} : { width: size.width, height: size.height, fit: 'fill' }),
      ...(await frameSelection(track)),
    },
    audio: soundOptions,
  });
  if (!conversion.isValid) {
    const reasons = conversion.discardedTracks.map(({ reason }) => reason).join(', ');
    return failed('undecodable', `The video cannot be converted: ${reasons}`);
  }
  await conversion.execute();
  return { type: 'made' };
}

async function isHighDynamicRange(track: InputVideoTrack): Promise<boolean> {
  if (await track.hasHighDynamicRange()) {
    return true;
  }
  // Some files tell it only in the frames.
  const sample = await new VideoSampleSink(track).getSample(await track.getFirstTimestamp());
  const transfer = sample?.colorSpace.transfer;
  sample?.close();
  return transfer === 'pq' || transfer === 'hlg';
}

/** The size of the rendition, in even numbers of pixels. */
async function fittingSize(track: InputVideoTrack) {
  const [width, height] = [await track.getDisplayWidth(), await track.getDisplayHeight()];
  const scale = Math.min(
    1,
    VIDEO_BOX.long / Math.max(width, height),
    VIDEO_BOX.short / Math.min(width, height),
  );
  const even = (pixels: number) => Math.max(2, 2 * Math.round((pixels * scale) / 2));
  const fitting = { width: even(width), height: even(height) };
  return { ...fitting, isOriginal: fitting.width === width && fitting.height === height };
}

/** Of a faster video every second frame, or third …, each shown for as long as those that it stands for. */
async function frameSelection(track: InputVideoTrack) {
  const { packetCount, averagePacketRate } = await track.computePacketStats();
  const step = Math.ceil(averagePacketRate / MAX_FRAME_RATE);
  if (step <= 1) {
    return {};
  }
  let index = 0;
  return {
    process(sample: VideoSample): VideoSample | null {
      const frames = Math.max(1, Math.min(step, packetCount - index));
      const isKept = index % step === 0;
      index += 1;
      if (!isKept) {
        return null;
      }
      sample.setDuration(sample.duration * frames);
      return sample;
    },
  };
}

async function soundOptions(track: InputAudioTrack): Promise<ConversionAudioOptions> {
  const codec = await track.getCodec();
  return codec !== null && KEPT_SOUND.includes(codec)
    ? {}
    : { codec: 'aac', quality: new Quality({ bitrate: SOUND_BIT_RATE }) };
}
