import {
  ALL_FORMATS,
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  EncodedPacketSink,
  FilePathSource,
  Input,
  Mp4OutputFormat,
  Output,
  Quality,
  VideoSample,
  VideoSampleSink,
  VideoSampleSource,
} from 'mediabunny';
import type { VideoCodec } from 'mediabunny';
import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { loadDecoder } from '../../src/media/child/decoder.ts';

/** FFmpeg converts any pixel format to this one, which the browser's types do not allow. */
const I420: { format: 'I420'; rect?: undefined } = { format: 'I420' };

/** The brightness of a frame, row by row. */
export interface LumaFrame {
  width: number;
  height: number;
  luma: Uint8Array;
}

export interface TimedFrame extends LumaFrame {
  /** Seconds. */
  timestamp: number;
  duration: number;
}

interface EncodedVideo {
  codec: VideoCodec;
  width: number;
  height: number;
  frames: number;
  frameRate: number;
  /** Seconds at which a frame is shown; without it all are shown equally long. */
  timeOf?: (index: number) => number;
  /** With a tone as long as the video. */
  hasSound?: boolean;
}

const wave = (length: number, shift: number, period: number) =>
  Float32Array.from({ length }, (_, at) => Math.sin((at + shift) / period));

/** A moving pattern with fine and coarse parts. */
export function patternFrame(width: number, height: number, index: number): LumaFrame {
  const [coarseX, coarseY] = [wave(width, 3 * index, 40), wave(height, -2 * index, 25)];
  const [fineX, fineY] = [wave(width, -index, 3), wave(height, 0, 4)];
  const luma = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const [coarse, fine] = [coarseY[y] ?? 0, fineY[y] ?? 0];
    for (let x = 0; x < width; x++) {
      luma[y * width + x] = 126 + 40 * ((coarseX[x] ?? 0) + coarse) + 25 * (fineX[x] ?? 0) * fine;
    }
  }
  return { width, height, luma };
}

/** An MP4 file with the frames of `patternFrame`, at a high quality. */
export async function encodePattern(video: EncodedVideo): Promise<Buffer> {
  const { codec, width, height, frames, frameRate, timeOf = (index) => index / frameRate } = video;
  await requireDecoder();
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat(), target });
  const source = new VideoSampleSource({ codec, quality: new Quality({ bitrate: 40_000_000 }) });
  output.addVideoTrack(source);
  const sound = video.hasSound
    ? new AudioSampleSource({ codec: 'aac', quality: new Quality('medium') })
    : null;
  if (sound) {
    output.addAudioTrack(sound);
  }
  await output.start();
  const colours = Buffer.alloc((width * height) / 2, 128);
  for (let index = 0; index < frames; index++) {
    const sample = new VideoSample(Buffer.concat([patternFrame(width, height, index).luma, colours]), {
      format: 'I420',
      codedWidth: width,
      codedHeight: height,
      timestamp: timeOf(index),
      duration: timeOf(index + 1) - timeOf(index),
    });
    await source.add(sample);
    sample.close();
  }
  if (sound) {
    using tone = createTone(timeOf(frames));
    await sound.add(tone);
  }
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer());
}

/** A picture in colours with the pattern, and with hard edges of squares. */
export function patternPicture(width: number, height: number): Sharp {
  const channels = [0, 7, 21].map((index) => patternFrame(width, height, index).luma);
  const pixels = Buffer.alloc(width * height * 3);
  for (let at = 0; at < width * height; at++) {
    const isInverted = (((at % width) >> 5) + (Math.floor(at / width) >> 5)) % 2 === 1;
    for (const [channel, values] of channels.entries()) {
      const value = values[at] ?? 0;
      pixels[at * 3 + channel] = isInverted ? 255 - value : value;
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

/** The brightness of a picture. */
export async function readPicture(picture: Sharp): Promise<LumaFrame> {
  const { data, info } = await picture.greyscale().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, luma: new Uint8Array(data) };
}

/** A frame in another size; not by FFmpeg, which scales renditions. */
export async function scaleFrame(
  { luma, ...size }: LumaFrame,
  { width, height }: Pick<LumaFrame, 'width' | 'height'>,
): Promise<LumaFrame> {
  const frame = sharp(luma, { raw: { width: size.width, height: size.height, channels: 1 } });
  return readPicture(frame.resize(width, height, { fit: 'fill' }));
}

const SAMPLE_RATE = 48_000;
const createTone = (seconds: number) =>
  new AudioSample({
    data: wave(Math.round(seconds * SAMPLE_RATE), 0, 20).map((value) => value / 2),
    format: 'f32',
    numberOfChannels: 1,
    sampleRate: SAMPLE_RATE,
    timestamp: 0,
  });

/** Times and sizes of what the sound of a file consists of. */
export async function readSound(path: string): Promise<[timestamp: number, size: number][]> {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
  const track = await input.getPrimaryAudioTrack();
  const packets: [number, number][] = [];
  for await (const { timestamp, byteLength } of track ? new EncodedPacketSink(track).packets() : []) {
    packets.push([timestamp, byteLength]);
  }
  input.dispose();
  return packets;
}

/** All frames of the video in a file, as they are shown. */
export async function readFrames(path: string): Promise<TimedFrame[]> {
  await requireDecoder();
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  const frames: TimedFrame[] = [];
  for await (const sample of track ? new VideoSampleSink(track).samples() : []) {
    const { codedWidth: width, codedHeight: height, timestamp, duration } = sample;
    const bytes = new Uint8Array(sample.allocationSize(I420));
    await sample.copyTo(bytes, I420);
    frames.push({ width, height, timestamp, duration, luma: bytes.subarray(0, width * height) });
    sample.close();
  }
  input.dispose();
  return frames;
}

/** What the file tells of its colours. */
export async function readColourSpace(path: string) {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
  const colours = await (await input.getPrimaryVideoTrack())?.getColorSpace();
  input.dispose();
  return colours;
}

/** The first frame as it is shown, of a video with 8 bits in BT.709. */
export async function readFirstPicture(path: string): Promise<Sharp> {
  await requireDecoder();
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  const sample = track && (await new VideoSampleSink(track).getSample(await track.getFirstTimestamp()));
  if (!sample) {
    throw new Error(`${path} has no frame`);
  }
  const { codedWidth: width, codedHeight: height, rotation } = sample;
  const bytes = new Uint8Array(sample.allocationSize(I420));
  await sample.copyTo(bytes, I420);
  sample.close();
  input.dispose();
  const pixels = new Uint8ClampedArray(width * height * 3);
  for (let at = 0; at < width * height; at++) {
    const chromaAt = width * height + (Math.floor(at / width) >> 1) * (width / 2) + ((at % width) >> 1);
    const luma = ((bytes[at] ?? 0) - 16) / 219;
    const cb = ((bytes[chromaAt] ?? 0) - 128) / 224;
    const cr = ((bytes[chromaAt + (width * height) / 4] ?? 0) - 128) / 224;
    const rgb = [luma + 1.5748 * cr, luma - 0.1873 * cb - 0.4681 * cr, luma + 1.8556 * cb];
    pixels.set(
      rgb.map((part) => part * 255),
      at * 3,
    );
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } }).rotate(rotation);
}

async function requireDecoder(): Promise<void> {
  const missing = await loadDecoder();
  if (missing !== null) {
    throw new Error(`@mediabunny/server is missing: ${missing}`);
  }
}

const WINDOW = 8;
/** Of the definition of SSIM, for values up to 255. */
const [C1, C2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2];

/** Structural similarity of two frames (Wang et al., 2004), as the mean over windows of 8 × 8: 1 when they are equal. */
export function ssim(a: LumaFrame, b: LumaFrame): number {
  if (a.width !== b.width || a.height !== b.height) {
    throw new RangeError('the frames have different sizes');
  }
  let sum = 0;
  let windows = 0;
  for (let y = 0; y + WINDOW <= a.height; y += WINDOW) {
    for (let x = 0; x + WINDOW <= a.width; x += WINDOW) {
      sum += ssimOfWindow(a, b, y * a.width + x);
      windows++;
    }
  }
  return sum / windows;
}

function ssimOfWindow(a: LumaFrame, b: LumaFrame, start: number): number {
  let [sumA, sumB, squaresA, squaresB, products] = [0, 0, 0, 0, 0];
  for (let row = 0; row < WINDOW; row++) {
    for (let column = 0; column < WINDOW; column++) {
      const at = start + row * a.width + column;
      const [valueA, valueB] = [a.luma[at] ?? 0, b.luma[at] ?? 0];
      sumA += valueA;
      sumB += valueB;
      squaresA += valueA * valueA;
      squaresB += valueB * valueB;
      products += valueA * valueB;
    }
  }
  const count = WINDOW * WINDOW;
  const [meanA, meanB] = [sumA / count, sumB / count];
  const [varianceA, varianceB] = [squaresA / count - meanA ** 2, squaresB / count - meanB ** 2];
  const covariance = products / count - meanA * meanB;
  return (
    ((2 * meanA * meanB + C1) * (2 * covariance + C2)) /
    ((meanA ** 2 + meanB ** 2 + C1) * (varianceA + varianceB + C2))
  );
}
