import type { Showing } from '../../src/stage-link/messages.ts';
import { decodeStill, type Size } from './decode-still.ts';
import { atFrameNearest, nextFrame, painted } from './frames.ts';
import { clearGround, paintGround } from './ground.ts';
import { isAnimated, isCutShort } from './image-kind.ts';
import { askMediaServer } from './media-server.ts';
import { loadFailure, type LoadResult, type Picture } from './picture.ts';
import type { Surface } from './surface.ts';

/** Loads a picture into the layer: through a bitmap of panel size, or as it is when it moves. */
export async function loadStill(
  surface: Surface,
  showing: Showing,
  signal: AbortSignal,
): Promise<LoadResult> {
  const { status, body: blob } = await askMediaServer(showing.url, 'GET', signal);
  signal.throwIfAborted();
  if (status !== 200) return loadFailure('not_found', `the media server answered ${status}`);
  if (blob.size === 0) return loadFailure('decode_failed', 'the file is empty');
  try {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    signal.throwIfAborted();
    if (!isAnimated(bytes)) await showBitmap(surface, blob, signal);
    else if (isCutShort(bytes)) return loadFailure('decode_failed', 'the file ends early');
    else await showElement(surface, blob);
  } catch (error) {
    return loadFailure('decode_failed', error instanceof Error ? error.message : String(error));
  }
  signal.throwIfAborted();
  paintGround(surface);
  // Painted out of sight, so that the cut has nothing left to do but to raise the layer.
  await painted();
  return { ok: true, picture: stillPicture(surface) };
}

/** Once decoded, an element keeps the bytes that it needs: the address can go at once. */
async function showElement(surface: Surface, blob: Blob): Promise<void> {
  const url = URL.createObjectURL(blob);
  try {
    surface.image.src = url;
    await surface.image.decode();
    surface.use(surface.image, { width: surface.image.naturalWidth, height: surface.image.naturalHeight });
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function showBitmap(surface: Surface, blob: Blob, signal: AbortSignal): Promise<void> {
  const { bitmap, natural } = await decodeStill(blob, (natural) => shownSize(surface, natural));
  if (signal.aborted) {
    // The layer already belongs to another showing.
    bitmap.close();
    return;
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

function stillPicture(surface: Surface): Picture {
  let stopWatching: (() => void) | null = null;
  return {
    begin: nextFrame,
    settled: async () => void (await painted()),
    watch(dueAtMs, on) {
      if (dueAtMs !== null) stopWatching = atFrameNearest(dueAtMs, () => on.through());
    },
    hold() {},
    release() {
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
