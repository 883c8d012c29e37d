import type { LoadFailure } from './loaded-media.ts';

const NETWORK = 2;
const NOT_SUPPORTED = 4;

/**
 * Maps a `MediaError` of a video to a failure. Chromium uses code 4 for almost everything that fails before the
 * first frame; its message distinguishes an unknown codec from a damaged file.
 */
export function describeMediaError(code: number, message: string): LoadFailure {
  const detail = message || `media error ${code}`;
  if (code === NETWORK) {
    return { reason: 'not_found', detail };
  }
  if (/NO_SUPPORTED_STREAMS|DECODER_ERROR_NOT_SUPPORTED|DEMUXER_ERROR_DETECTED/i.test(message)) {
    return { reason: 'unsupported', detail };
  }
  if (code === NOT_SUPPORTED && message === '') {
    return { reason: 'unsupported', detail };
  }
  return { reason: 'decode_failed', detail };
}
