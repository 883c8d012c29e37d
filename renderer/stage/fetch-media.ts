import { delay } from './frames.ts';

/** A restarted runtime is back within a second or two; its absence says nothing about the file. */
const RETRY_DELAY_MS = 250;

/**
 * The response of the media server, and whether it needed retries; `body` is empty for HEAD. Retries until the server
 * responds completely; rejects when the signal aborts.
 */
export async function fetchMedia(url: string, method: 'GET' | 'HEAD', signal: AbortSignal) {
  for (let wasRetried = false; ; wasRetried = true) {
    try {
      const response = await fetch(url, { method, signal, cache: 'no-store' });
      const length = response.headers.get('content-length');
      return {
        status: response.status,
        body: await response.blob(),
        /** `Content-Length`, or null. */
        length: length === null ? null : Number(length),
        wasRetried,
      };
    } catch {
      await delay(RETRY_DELAY_MS, signal);
      signal.throwIfAborted();
    }
  }
}
