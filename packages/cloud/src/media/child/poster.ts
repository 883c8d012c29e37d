import { EncodedPacketSink, VideoSampleSink } from 'mediabunny';
import type { EncodedPacket, InputVideoTrack } from 'mediabunny';
import sharp from 'sharp';
import { loadDecoder } from './decoder.ts';
import { tooManyPixels } from './pixels.ts';
import { small, THUMBNAIL_PIXELS } from './small.ts';
import type { Verdict } from './verdict.ts';
import { wrapped } from './wrap.ts';

/** FFmpeg turns any layout into this one; the types of the browser do not know that. */
const RGBA: { format: 'RGBA'; rect?: undefined } = { format: 'RGBA' };

/** A place in a video where decoding can begin, nearest before the instant; null when it has none. */
export async function keyPacket(track: InputVideoTrack, atSeconds: number): Promise<EncodedPacket | null> {
  const sink = new EncodedPacketSink(track);
  return (await sink.getKeyPacket(atSeconds)) ?? (await sink.getFirstKeyPacket());
}

/** The small picture of a video, or why there is none. Its pictures may have more pixels than it told. */
export async function thumbnailOf(
  track: InputVideoTrack,
  packet: EncodedPacket,
): Promise<Buffer | Verdict | 'undecodable' | 'no_decoder'> {
  // libvips decodes these as still pictures: the larger decoder is only asked when it cannot.
  const still = await wrapped(track, packet);
  if (still) {
    // The head alone, whatever size it claims.
    const head = await sharp(still, { limitInputPixels: false })
      .metadata()
      .catch(() => null);
    const tooMany = head && tooManyPixels(head.width, head.height);
    if (tooMany) return tooMany;
    const thumbnail = await small(sharp(still).rotate(await track.getRotation())).catch(() => null);
    if (thumbnail) return thumbnail;
  }
  if ((await loadDecoder()) !== null) return 'no_decoder';
  const first = await new EncodedPacketSink(track).getFirstKeyPacket();
  return (
    (await decoded(track, packet)) ??
    (first && first.timestamp !== packet.timestamp ? await decoded(track, first) : null) ??
    'undecodable'
  );
}

/** The picture that begins with a packet; null when that is damaged. */
async function decoded(track: InputVideoTrack, packet: EncodedPacket): Promise<Buffer | Verdict | null> {
  const sample = await orBroken(new VideoSampleSink(track).getSample(packet.timestamp));
  if (!sample) return null;
  try {
    const tooMany = tooManyPixels(sample.codedWidth, sample.codedHeight);
    if (tooMany) return tooMany;
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

/** mediabunny awaits not all that its decoders do: an error of theirs may arrive with nobody to catch it. */
async function orBroken<T>(decoding: Promise<T>): Promise<T | null> {
  const { promise: broken, resolve } = Promise.withResolvers<null>();
  const hear = () => resolve(null);
  process.on('unhandledRejection', hear);
  try {
    return await Promise.race([decoding, broken]);
  } catch {
    return null;
  } finally {
    process.off('unhandledRejection', hear);
  }
}
