import { pause } from './frames.ts';

/** A restarted runtime is back within a second or two; its absence says nothing about a file. */
const ASK_AGAIN_MS = 250;

/** An answer of the media server, and whether it had to be waited for. */
export interface MediaAnswer {
  status: number;
  /** Empty for HEAD. */
  body: Blob;
  /** `Content-Length`, or null. */
  length: number | null;
  waited: boolean;
}

/** Asks until the server answers in full; rejects when the signal aborts. */
export async function askMediaServer(
  url: string,
  method: 'GET' | 'HEAD',
  signal: AbortSignal,
): Promise<MediaAnswer> {
  for (let waited = false; ; waited = true) {
    try {
      const response = await fetch(url, { method, signal, cache: 'no-store' });
      const length = response.headers.get('content-length');
      return {
        status: response.status,
        body: await response.blob(),
        length: length === null ? null : Number(length),
        waited,
      };
    } catch {
      await pause(ASK_AGAIN_MS, signal);
      signal.throwIfAborted();
    }
  }
}
