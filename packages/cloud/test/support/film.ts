import {
  ALL_FORMATS,
  AudioSample,
  AudioSampleSink,
  AudioSampleSource,
  BufferSource,
  BufferTarget,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathSource,
  Input,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  Quality,
  WebMOutputFormat,
} from 'mediabunny';
import type { AudioCodec, VideoCodec } from 'mediabunny';
import { encodePattern } from './video-frames.ts';

export const SAMPLE_RATE = 48_000;
/** Hertz, at the beginning and at the end. */
const [LOWEST, HIGHEST] = [2000, 4000];
const LOUDNESS = 0.5;

const FORMATS = { mp4: Mp4OutputFormat, mov: MovOutputFormat, webm: WebMOutputFormat };

interface Film {
  format: keyof typeof FORMATS;
  pictures: VideoCodec;
  sound: AudioCodec;
  seconds: number;
  /** Frames per second. */
  frameRate: number;
}

/** A film with a tone that becomes higher all the time, so that no part of it is like another one. */
export async function encodeFilm({ format, pictures, sound, seconds, frameRate }: Film): Promise<Buffer> {
  const video = { codec: pictures, width: 64, height: 48, frames: seconds * frameRate, frameRate };
  const input = new Input({ source: new BufferSource(await encodePattern(video)), formats: ALL_FORMATS });
  const track = await input.getPrimaryVideoTrack();
  const target = new BufferTarget();
  const output = new Output({ format: new FORMATS[format](), target });
  const pictureSource = new EncodedVideoPacketSource(pictures);
  const soundSource = new AudioSampleSource({ codec: sound, quality: new Quality('high') });
  output.addVideoTrack(pictureSource);
  output.addAudioTrack(soundSource);
  await output.start();
  const decoderConfig = (await track?.getDecoderConfig()) ?? undefined;
  for await (const packet of track ? new EncodedPacketSink(track).packets() : []) {
    await pictureSource.add(packet, { decoderConfig });
  }
  pictureSource.close();
  using tone = createTone(seconds);
  await soundSource.add(tone);
  await output.finalize();
  input.dispose();
  return Buffer.from(target.buffer ?? new ArrayBuffer());
}

const createTone = (seconds: number): AudioSample =>
  new AudioSample({
    data: Float32Array.from({ length: seconds * SAMPLE_RATE }, (_, index) => {
      const time = index / SAMPLE_RATE;
      const turns = LOWEST * time + ((HIGHEST - LOWEST) * time ** 2) / 2 / seconds;
      return LOUDNESS * Math.sin(2 * Math.PI * turns);
    }),
    format: 'f32',
    numberOfChannels: 1,
    sampleRate: SAMPLE_RATE,
    timestamp: 0,
  });

/** The sound of a file from its time 0 on, decoded. Throws when its times have a gap, or overlap. */
export async function readSamples(path: string): Promise<Float32Array> {
  const input = new Input({ source: new FilePathSource(path), formats: ALL_FORMATS });
  const track = await input.getPrimaryAudioTrack();
  const parts: Float32Array[] = [];
  let end: number | null = null;
  for await (const sample of track ? new AudioSampleSink(track).samples() : []) {
    const begin = Math.round(sample.timestamp * SAMPLE_RATE);
    if (end !== null && Math.abs(begin - end) > 1) {
      throw new Error(`sound that ends at sample ${end} goes on at sample ${begin}`);
    }
    const values = new Float32Array(sample.allocationSize({ planeIndex: 0, format: 'f32-planar' }) / 4);
    sample.copyTo(values, { planeIndex: 0, format: 'f32-planar' });
    parts.push(end === null ? values.subarray(Math.max(0, -begin)) : values);
    if (end === null && begin > 0) {
      parts.unshift(new Float32Array(begin));
    }
    end = (end ?? begin) + sample.numberOfFrames;
    sample.close();
  }
  input.dispose();
  return concatenate(parts);
}

function concatenate(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A short piece of the tone would fit at many places. */
const COMPARED_EACH = 101;

/** By how many samples `made` is later than `original`: where samples of the whole film fit best. */
export function findDelay(original: Float32Array, made: Float32Array, most: number): number {
  let [best, delay] = [-Infinity, 0];
  for (let shift = 0; shift <= most; shift++) {
    let sum = 0;
    for (let at = 0; at < original.length; at += COMPARED_EACH) {
      sum += (original[at] ?? 0) * (made[at + shift] ?? 0);
    }
    if (sum > best) {
      [best, delay] = [sum, shift];
    }
  }
  return delay;
}
