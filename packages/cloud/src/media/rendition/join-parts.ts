import { isDeepStrictEqual } from 'node:util';
import {
  ALL_FORMATS,
  Conversion,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathSource,
  Input,
  Quality,
} from 'mediabunny';
import type { ConversionAudioOptions, InputAudioTrack, Output } from 'mediabunny';
import type { ToldColours } from '../colours/wide-colours.ts';
import { createMp4 } from './encode-part.ts';

/** Sound that MP4 and every player can have. */
const KEPT_SOUND = ['aac', 'mp3', 'opus', 'flac'];
const SOUND_BIT_RATE = 192_000;
/** Pictures and sound take turns in the file. */
const TURN_SECONDS = 1;

export interface JoinOrder {
  /** The original, which the sound is of. */
  original: Input;
  /** In their order, with the second of the original at which each begins. */
  parts: readonly { path: string; start: number }[];
  /** The colours of the pictures, as far as they are known: encoders do not note them down. */
  colours: ToldColours;
  /** The file to write. */
  to: string;
}

/** Writes the pictures of all parts as they are, with the sound of the original. */
export async function joinParts({ original, parts, colours, to }: JoinOrder): Promise<void> {
  const output = createMp4(to);
  const pictures = new EncodedVideoPacketSource('avc');
  let sound: Conversion | null = null;
  let soundUntil = 0;
  let firstConfig: VideoDecoderConfig | null = null;
  for (const part of parts) {
    const input = new Input({ source: new FilePathSource(part.path), formats: ALL_FORMATS });
    const track = await input.getPrimaryVideoTrack();
    const decoderConfig = await track?.getDecoderConfig();
    if (!track || !decoderConfig) {
      throw new Error('A part of the rendition has no pictures.');
    }
    firstConfig ??= decoderConfig;
    // The file has only one, with which all its pictures are decoded.
    if (!isDeepStrictEqual(decoderConfig, firstConfig)) {
      throw new Error('The parts of the rendition do not fit together.');
    }
    const coloured = { ...decoderConfig, colorSpace: colours };
    if (!sound) {
      output.addVideoTrack(pictures, { transformationMatrix: await track.getTransformationMatrix() });
      sound = await addSound(original, output);
      await output.start();
    }
    for await (const packet of new EncodedPacketSink(track).packets()) {
      const timestamp = packet.timestamp + part.start;
      await pictures.add(packet.clone({ timestamp }), { decoderConfig: coloured });
      if (timestamp >= soundUntil) {
        soundUntil = timestamp + TURN_SECONDS;
        await sound.execute({ until: soundUntil });
      }
    }
    input.dispose();
  }
  pictures.close();
  await sound?.execute();
  await output.finalize();
}

/** In one go for the whole video, so that no gap can be heard where parts meet. */
const addSound = (input: Input, output: Output): Promise<Conversion> =>
  Conversion.init({
    input,
    output,
    composable: true,
    tracks: 'primary',
    showWarnings: false,
    // What has a time before 0 is not heard.
    trim: { start: 0 },
    video: { discard: true },
    audio: soundOptions,
  });

async function soundOptions(track: InputAudioTrack): Promise<ConversionAudioOptions> {
  const codec = await track.getCodec();
  return codec !== null && KEPT_SOUND.includes(codec)
    ? {}
    : { codec: 'aac', quality: new Quality({ bitrate: SOUND_BIT_RATE }) };
}
