import { errorMessage } from '../../domain/error-details.ts';
import { WITHOUT_DECODER } from '../inspection-messages.ts';
import type { Codecs } from '../inspection-messages.ts';

/** What needs no decoder of videos: see `still-image.ts`. */
const CODECS_WITHOUT_DECODER = ['vp8', 'av1'];
const CODECS_WITH_DECODER = ['avc', 'hevc', 'vp8', 'vp9', 'av1'];

let loading: Promise<string | null> | undefined;

/** Registers FFmpeg as mediabunny's decoder, at the first call. Returns why it is unavailable, or null. */
export function loadDecoder(): Promise<string | null> {
  loading ??= process.argv.includes(WITHOUT_DECODER) ? Promise.resolve('switched off') : load();
  return loading;
}

function load(): Promise<string | null> {
  return import('@mediabunny/server').then(
    ({ registerMediabunnyServer }) => {
      // Probing for a GPU is slow, and a single frame decodes faster without.
      registerMediabunnyServer({ hardwareContext: null });
      return null;
    },
    (error: unknown) => errorMessage(error),
  );
}

export async function listThumbnailCodecs(): Promise<Codecs> {
  const missing = await loadDecoder();
  return { codecs: missing === null ? CODECS_WITH_DECODER : CODECS_WITHOUT_DECODER, missing };
}
