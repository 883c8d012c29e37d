import { JPEG_QUALITY } from '../supervision/shell.ts';
import type { DebuggingPipe } from './debugging-pipe.ts';

/** The browser sends the frame that is shown; a page that draws nothing sends it as well. */
const FRAME_TIMEOUT_MS = 3_000;

/** Longer side of the page in pixels of the display. */
const LONGER_SIDE = 'Math.max(innerWidth, innerHeight) * devicePixelRatio';

export type FrameCapture = ReturnType<typeof createFrameCapture>;

/**
 * Makes pictures of what a page shows: JPEG, scaled down until the longer side has at most `maxPixels`.
 *
 * A page that is not larger is copied. One that must be scaled gives a frame of a screencast, which costs the videos of the
 * page a frame every third picture; a scaled `Page.captureScreenshot` would draw the page at another size, and that is seen
 * on the panel.
 */
export function createFrameCapture(pipe: Pick<DebuggingPipe, 'send' | 'on'>) {
  let onFrame: ((data: string, sessionId: string | undefined) => void) | null = null;
  let capturing: Promise<unknown> = Promise.resolve();
  pipe.on('Page.screencastFrame', ({ data }, sessionId) => onFrame?.(data, sessionId));

  async function captureNow(sessionId: string | undefined, maxPixels: number): Promise<Buffer> {
    const { result } = await pipe.send('Runtime.evaluate', { expression: LONGER_SIDE }, sessionId);
    const data =
      typeof result.value === 'number' && result.value <= maxPixels
        ? await copyFrame(sessionId)
        : await captureScaled(sessionId, maxPixels);
    return Buffer.from(data, 'base64');
  }

  async function copyFrame(sessionId: string | undefined): Promise<string> {
    const { data } = await pipe.send(
      'Page.captureScreenshot',
      { format: 'jpeg', quality: JPEG_QUALITY, optimizeForSpeed: true },
      sessionId,
    );
    return data;
  }

  async function captureScaled(sessionId: string | undefined, maxPixels: number): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const timer = setTimeout(
      () => reject(new Error(`the browser sent no frame within ${FRAME_TIMEOUT_MS} ms`)),
      FRAME_TIMEOUT_MS,
    );
    // When the screencast cannot be started nobody waits for a frame.
    promise.catch(() => {});
    onFrame = (data, from) => from === sessionId && resolve(data);
    try {
      await pipe.send(
        'Page.startScreencast',
        { format: 'jpeg', quality: JPEG_QUALITY, maxWidth: maxPixels, maxHeight: maxPixels },
        sessionId,
      );
      return await promise;
    } finally {
      clearTimeout(timer);
      onFrame = null;
      await pipe.send('Page.stopScreencast', undefined, sessionId);
    }
  }

  return {
    /** One at a time. Rejects when the page sends no frame or the browser is gone. */
    capture(sessionId: string | undefined, maxPixels: number): Promise<Buffer> {
      const next = capturing.catch(() => {}).then(() => captureNow(sessionId, maxPixels));
      capturing = next;
      return next;
    },
  };
}
