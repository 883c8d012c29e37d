import type { EncodedPacket, InputVideoTrack, VideoSample } from 'mediabunny';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { planeLayout, readFrame } from '../colours/frame-planes.ts';
import { toRgb } from '../colours/standard-rgb.ts';
import { createToneMap } from '../colours/tone-map.ts';
import { scaledColours, toWideColours } from '../colours/wide-colours.ts';
import type { WideColours } from '../colours/wide-colours.ts';
import { loadDecoder } from './decoder.ts';
import { rejectTooManyPixels } from './pixels.ts';
import { makeThumbnail, THUMBNAIL_PIXELS } from './thumbnail.ts';
import type { InspectionResult } from './inspection-result.ts';
import { wrapAsStillImage } from './still-image.ts';

/** FFmpeg converts any pixel format to this one, which the browser's types do not allow. */
const RGBA: { format: 'RGBA'; rect?: undefined } = { format: 'RGBA' };

/** The last key frame before the timestamp, else the first one; null if there is none. */
export async function findKeyPacket(
  track: InputVideoTrack,
  atSeconds: number,
): Promise<EncodedPacket | null> {
  const { EncodedPacketSink } = await import('mediabunny');
  const sink = new EncodedPacketSink(track);
  return (await sink.getKeyPacket(atSeconds)) ?? (await sink.getFirstKeyPacket());
}

/** The thumbnail of a video, or why there is none. Its frames may have more pixels than the container declares. */
export async function makeVideoThumbnail(
  track: InputVideoTrack,
  packet: EncodedPacket,
): Promise<Buffer | InspectionResult | 'undecodable' | 'no_decoder'> {
  // libvips decodes these as still images; FFmpeg is used only if that fails, and for frames in HDR, which libvips makes pale.
  const isWide = toWideColours({}, await track.getColorSpace()) !== null;
  const still = isWide && (await loadDecoder()) === null ? null : await wrapAsStillImage(track, packet);
  if (still) {
    // Reads only the header, whatever size it claims.
    const head = await sharp(still, { limitInputPixels: false })
      .metadata()
      .catch(() => null);
    const tooMany = head && rejectTooManyPixels(head.width, head.height);
    if (tooMany) {
      return tooMany;
    }
    const thumbnail = await makeThumbnail(sharp(still).rotate(await track.getRotation())).catch(() => null);
    if (thumbnail) {
      return thumbnail;
    }
  }
  if ((await loadDecoder()) !== null) {
    return 'no_decoder';
  }
  const { EncodedPacketSink } = await import('mediabunny');
  const first = await new EncodedPacketSink(track).getFirstKeyPacket();
  return (
    (await decodeThumbnail(track, packet)) ??
    (first && first.timestamp !== packet.timestamp ? await decodeThumbnail(track, first) : null) ??
    'undecodable'
  );
}

/** Decodes the frame of a packet; null if it is damaged. */
async function decodeThumbnail(
  track: InputVideoTrack,
  packet: EncodedPacket,
): Promise<Buffer | InspectionResult | null> {
  const { VideoSampleSink } = await import('mediabunny');
  const sample = await nullOnDecoderError(new VideoSampleSink(track).getSample(packet.timestamp));
  if (!sample) {
    return null;
  }
  try {
    const tooMany = rejectTooManyPixels(sample.codedWidth, sample.codedHeight);
    if (tooMany) {
      return tooMany;
    }
    const wide = toWideColours(sample.colorSpace, await track.getColorSpace());
    if (wide && planeLayout(sample.format)) {
      return await makeThumbnail(await toStandardPicture(sample, wide));
    }
    const pixels = new Uint8Array(sample.allocationSize(RGBA));
    await sample.copyTo(pixels, RGBA);
    const { codedWidth, codedHeight, squarePixelWidth, squarePixelHeight } = sample;
    const scale = Math.min(1, THUMBNAIL_PIXELS / Math.max(squarePixelWidth, squarePixelHeight));
    return await sharp(pixels, { raw: { width: codedWidth, height: codedHeight, channels: 4 } })
      .resize(
        Math.max(1, Math.round(squarePixelWidth * scale)),
        Math.max(1, Math.round(squarePixelHeight * scale)),
        { fit: 'fill' },
      )
      .rotate(sample.rotation)
      .webp({ quality: 75 })
      .toBuffer();
  } finally {
    sample.close();
  }
}

/** The frame with the colours of a usual screen, upright, and small already: converting colours takes long. */
async function toStandardPicture(sample: VideoSample, wide: WideColours): Promise<Sharp> {
  const { displayWidth, displayHeight, colorSpace } = sample;
  const scale = Math.min(1, THUMBNAIL_PIXELS / Math.max(displayWidth, displayHeight));
  const even = (pixels: number) => Math.max(2, 2 * Math.round((pixels * scale) / 2));
  const size = { width: even(displayWidth), height: even(displayHeight) };
  const scaled = await sample.transform({ ...size, fit: 'fill' });
  try {
    const colours = scaledColours(wide, colorSpace);
    const frame = createToneMap(colours)(await readFrame(scaled, colours.fullRange));
    return sharp(toRgb(frame, size), { raw: { ...size, channels: 3 } });
  } finally {
    scaled.close();
  }
}

/** mediabunny does not await everything in its decoders: an error may surface as an unhandled rejection. */
async function nullOnDecoderError<T>(decoding: Promise<T>): Promise<T | null> {
  const { promise: broken, resolve } = Promise.withResolvers<null>();
  const onRejection = () => resolve(null);
  process.on('unhandledRejection', onRejection);
  try {
    return await Promise.race([decoding, broken]);
  } catch {
    return null;
  } finally {
    process.off('unhandledRejection', onRejection);
  }
}
