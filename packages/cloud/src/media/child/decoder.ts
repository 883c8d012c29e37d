import { messageOf } from '../../domain/error-facts.ts';
import { WITHOUT_DECODER } from '../messages.ts';
import type { Codecs } from '../messages.ts';

/** What needs no decoder of videos: see `wrap.ts`. */
const AS_STILL_PICTURES = ['vp8', 'av1'];
const DECODED = ['avc', 'hevc', 'vp8', 'vp9', 'av1'];

let loading: Promise<string | null> | undefined;

/** Makes mediabunny decode videos by FFmpeg. Answers why it cannot; null when it can. Loaded by the first who asks. */
export function loadDecoder(): Promise<string | null> {
  loading ??= process.argv.includes(WITHOUT_DECODER) ? Promise.resolve('switched off') : load();
  return loading;
}

function load(): Promise<string | null> {
  return import('@mediabunny/server').then(
    ({ registerMediabunnyServer }) => {
      // Looking for a graphics card takes long, and one picture is decoded sooner without.
      registerMediabunnyServer({ hardwareContext: null });
      return null;
    },
    (error: unknown) => messageOf(error),
  );
}

export async function readableCodecs(): Promise<Codecs> {
  const missing = await loadDecoder();
  return { codecs: missing === null ? DECODED : AS_STILL_PICTURES, missing };
}
