import type { LoadFailure } from './picture.ts';

const NETWORK = 2;
const NOT_SUPPORTED = 4;

/**
 * Names what a `MediaError` of a video means. Chromium uses code 4 for almost everything that goes wrong
 * before the first frame; its message tells an unknown codec from a damaged file.
 */
export function mediaFailure(code: number, message: string): LoadFailure {
  const detail = message || `media error ${code}`;
  if (code === NETWORK) return { reason: 'not_found', detail };
  if (/NO_SUPPORTED_STREAMS|DECODER_ERROR_NOT_SUPPORTED|DEMUXER_ERROR_DETECTED/i.test(message)) {
    return { reason: 'unsupported', detail };
  }
  if (code === NOT_SUPPORTED && message === '') return { reason: 'unsupported', detail };
  return { reason: 'decode_failed', detail };
}
