import { delay } from './frames.ts';

/** A restarted runtime is back within a second or two; its absence says nothing about the file. */
const RETRY_DELAY_MS = 250;

/** A response of the media server, and whether it needed retries. */
export interface MediaResponse {
  status: number;
  /** Empty for HEAD. */
  body: Blob;
  /** `Content-Length`, or null. */
  length: number | null;
  wasRetried: boolean;
}

/** Retries until the server responds completely; rejects when the signal aborts. */
export async function fetchMedia(
  url: string,
  method: 'GET' | 'HEAD',
  signal: AbortSignal,
): Promise<MediaResponse> {
  for (let wasRetried = false; ; wasRetried = true) {
    try {
      const response = await fetch(url, { method, signal, cache: 'no-store' });
      const length = response.headers.get('content-length');
      return {
        status: response.status,
        body: await response.blob(),
        length: length === null ? null : Number(length),
        wasRetried,
      };
    } catch {
      await delay(RETRY_DELAY_MS, signal);
      signal.throwIfAborted();
    }
  }
}
