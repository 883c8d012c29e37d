import { JPEG_QUALITY } from '../supervision/shell.ts';

/** The browser sends the frame that is shown; a page that draws nothing sends it as well. */
const FRAME_TIMEOUT_MS = 3_000;

/** What is used of the debugging pipe. */
export interface ScreencastPipe {
  send(
    method: 'Page.startScreencast' | 'Page.stopScreencast',
    params?: { format: 'jpeg'; quality: number; maxWidth: number; maxHeight: number },
    sessionId?: string,
  ): Promise<unknown>;
  on(
    event: 'Page.screencastFrame',
    listener: (frame: { data: string }, sessionId: string | undefined) => void,
  ): void;
}

export type FrameCapture = ReturnType<typeof createFrameCapture>;

/**
 * Makes pictures of what a page shows: JPEG, scaled down until the longer side has at most `maxPixels`. Takes a frame of a
 * screencast, which is copied and scaled beside the page: a scaled `Page.captureScreenshot` draws the page at another size, and
 * that is seen on the panel.
 */
export function createFrameCapture(pipe: ScreencastPipe) {
  let onFrame: ((data: string, sessionId: string | undefined) => void) | null = null;
  let capturing: Promise<unknown> = Promise.resolve();
  pipe.on('Page.screencastFrame', ({ data }, sessionId) => onFrame?.(data, sessionId));

  async function captureNow(sessionId: string | undefined, maxPixels: number): Promise<Buffer> {
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
      return Buffer.from(await promise, 'base64');
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
