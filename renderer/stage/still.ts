import type { Showing } from '../../src/stage-link/messages.ts';
import { decodeStill, type Size } from './decode-still.ts';
import { atFrameNearest, nextFrame, painted } from './frames.ts';
import { clearGround, paintGround } from './ground.ts';
import { isAnimated, isCutShort } from './image-kind.ts';
import { askMediaServer } from './media-server.ts';
import { loadFailure, type LoadResult, type Picture } from './picture.ts';
import type { Surface } from './surface.ts';

/** Loads a picture into the layer, through a bitmap of panel size: of one that moves it is the first frame. */
export async function loadStill(
  surface: Surface,
  showing: Showing,
  signal: AbortSignal,
): Promise<LoadResult> {
  const { status, body: blob } = await askMediaServer(showing.url, 'GET', signal);
  signal.throwIfAborted();
  if (status !== 200) return loadFailure('not_found', `the media server answered ${status}`);
  if (blob.size === 0) return loadFailure('decode_failed', 'the file is empty');
  let moves = false;
  try {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    signal.throwIfAborted();
    moves = isAnimated(bytes);
    if (moves && isCutShort(bytes)) return loadFailure('decode_failed', 'the file ends early');
    await showBitmap(surface, { blob, bytes }, signal);
    if (moves) await fillElement(surface, blob);
  } catch (error) {
    return loadFailure('decode_failed', error instanceof Error ? error.message : String(error));
  }
  signal.throwIfAborted();
  paintGround(surface);
  return { ok: true, picture: stillPicture(surface, moves) };
}

/**
 * An element begins to move when it is first painted, so it stays hidden until the cut. Once decoded, it keeps the
 * bytes that it needs: the address can go at once.
 */
async function fillElement({ image }: Surface, blob: Blob): Promise<void> {
  const url = URL.createObjectURL(blob);
  try {
    image.src = url;
    await image.decode();
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function showBitmap(
  surface: Surface,
  { blob, bytes }: { blob: Blob; bytes: Uint8Array },
  signal: AbortSignal,
): Promise<void> {
  const { bitmap, natural } = await decodeStill(blob, bytes, (natural) => shownSize(surface, natural));
  if (signal.aborted) {
    // The layer already belongs to another showing.
    bitmap.close();
    signal.throwIfAborted();
  }
  const { canvas } = surface;
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext('bitmaprenderer')!.transferFromImageBitmap(bitmap);
  surface.use(canvas, natural);
}

/** The size at which a picture is shown, in device pixels, but never larger than it is: the canvas does the enlarging. */
function shownSize({ root, look }: Surface, natural: Size): Size {
  const width = (root.clientWidth * devicePixelRatio) / natural.width;
  const height = (root.clientHeight * devicePixelRatio) / natural.height;
  const scale = Math.min(1, look.fit === 'contain' ? Math.min(width, height) : Math.max(width, height));
  return {
    width: Math.max(1, Math.round(natural.width * scale)),
    height: Math.max(1, Math.round(natural.height * scale)),
  };
}

function stillPicture(surface: Surface, moves: boolean): Picture {
  const { image } = surface;
  let stopWatching: (() => void) | null = null;
  let released = false;
  return {
    begin() {
      // Over the bitmap, which is seen until this has been decoded once more.
      if (moves) image.hidden = false;
      return nextFrame();
    },
    async settled() {
      if (moves) await image.decode().catch(() => {});
      await painted();
      if (moves && !released) {
        surface.use(image, { width: image.naturalWidth, height: image.naturalHeight });
      }
    },
    watch(dueAtMs, on) {
      if (dueAtMs !== null) stopWatching = atFrameNearest(dueAtMs, () => on.through());
    },
    hold() {},
    release() {
      released = true;
      stopWatching?.();
      releaseStill(surface);
    },
  };
}

/** Gives the bitmap and the decoded frames back. */
export function releaseStill(surface: Surface): void {
  surface.use(null);
  clearGround(surface);
  surface.image.removeAttribute('src');
  surface.canvas.getContext('bitmaprenderer')!.transferFromImageBitmap(null);
}
