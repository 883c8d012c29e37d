import { isAnimated, isTruncated } from '@placard/protocol/animation';
import type { StageShowing } from '@placard/protocol/stage';
import { decodeImage } from './decode-image.ts';
import type { Size } from './decode-image.ts';
import { scheduleAtNearestFrame, nextFrame, waitForPaint } from './frames.ts';
import { clearBackground, paintBackground } from './background.ts';
import { fetchMedia } from './fetch-media.ts';
import { loadFailure } from './loaded-media.ts';
import type { LoadResult, LoadedMedia } from './loaded-media.ts';
import type { Layer } from './layer.ts';

/** Loads an image into the layer, through a bitmap of panel size; of an animated one, its first frame. */
export async function loadImage(
  layer: Layer,
  showing: StageShowing,
  signal: AbortSignal,
): Promise<LoadResult> {
  const { status, body: blob } = await fetchMedia(showing.url, 'GET', signal);
  signal.throwIfAborted();
  if (status !== 200) {
    return loadFailure('not_found', `the media server responded with HTTP ${status}`);
  }
  if (blob.size === 0) {
    return loadFailure('decode_failed', 'the file is empty');
  }
  let animated = false;
  try {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    signal.throwIfAborted();
    animated = isAnimated(bytes);
    if (animated && isTruncated(bytes)) {
      return loadFailure('decode_failed', 'the file is truncated');
    }
    await showBitmap(layer, { blob, bytes }, signal);
    if (animated) {
      await loadAnimation(layer, blob);
    }
  } catch (error) {
    return loadFailure('decode_failed', error instanceof Error ? error.message : String(error));
  }
  signal.throwIfAborted();
  paintBackground(layer);
  return { ok: true, media: createImageMedia(layer, animated) };
}

/**
 * An animation starts when it is first painted, so it stays hidden until the transition. Once decoded, the element
 * keeps its data: the object URL can be revoked at once.
 */
async function loadAnimation({ image }: Layer, blob: Blob): Promise<void> {
  const url = URL.createObjectURL(blob);
  try {
    image.src = url;
    await image.decode();
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function showBitmap(
  layer: Layer,
  { blob, bytes }: { blob: Blob; bytes: Uint8Array },
  signal: AbortSignal,
): Promise<void> {
  const { bitmap, natural } = await decodeImage(blob, bytes, (natural) => shownSize(layer, natural));
  if (signal.aborted) {
    // The layer already belongs to another showing.
    bitmap.close();
    signal.throwIfAborted();
  }
  const { canvas } = layer;
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext('bitmaprenderer')!.transferFromImageBitmap(bitmap);
  layer.showElement(canvas, natural);
}

/** The size at which an image is shown, in device pixels, at most its natural size: the canvas scales it up. */
function shownSize({ root, display }: Layer, natural: Size): Size {
  const width = (root.clientWidth * devicePixelRatio) / natural.width;
  const height = (root.clientHeight * devicePixelRatio) / natural.height;
  const scale = Math.min(1, display.fit === 'contain' ? Math.min(width, height) : Math.max(width, height));
  return {
    width: Math.max(1, Math.round(natural.width * scale)),
    height: Math.max(1, Math.round(natural.height * scale)),
  };
}

function createImageMedia(layer: Layer, animated: boolean): LoadedMedia {
  const { image } = layer;
  let cancelEndTimer: (() => void) | null = null;
  let isReleased = false;
  return {
    start() {
      // Shown over the bitmap, which stays visible until the animation has been decoded again.
      if (animated) {
        image.hidden = false;
      }
      return nextFrame();
    },
    async waitUntilFullyVisible() {
      if (animated) {
        await image.decode().catch(() => {});
      }
      await waitForPaint();
      if (animated && !isReleased) {
        layer.showElement(image, { width: image.naturalWidth, height: image.naturalHeight });
      }
    },
    watchForEnd(dueAtMs, callbacks) {
      if (dueAtMs !== null) {
        cancelEndTimer = scheduleAtNearestFrame(dueAtMs, () => callbacks.finished());
      }
    },
    hold() {},
    release() {
      isReleased = true;
      cancelEndTimer?.();
      releaseImage(layer);
    },
  };
}

/** Releases the bitmap and the decoded frames. */
export function releaseImage(layer: Layer): void {
  layer.showElement(null);
  clearBackground(layer);
  layer.image.removeAttribute('src');
  layer.canvas.getContext('bitmaprenderer')!.transferFromImageBitmap(null);
}
