import type { Layer } from './layer.ts';

/** So few pixels that scaling them to panel size leaves only soft colours. */
const BACKGROUND_WIDTH = 96;
const BLUR_FILTER = 'blur(7px) brightness(0.55)';
/** Drawn beyond the edges, because the blur would let black in. */
const BLUR_MARGIN = 22;
/** A video's background is updated at this interval with this opacity, so that it moves more calmly. */
const FOLLOW_INTERVAL_MS = 120;
const FOLLOW_OPACITY = 0.3;
/** Bars thinner than this fraction of the panel are black. */
const ASPECT_RATIO_TOLERANCE = 0.004;

/** Draws the background beside this layer's media: the media itself, blurred, or nothing (black). */
export function paintBackground(layer: Layer, opacity = 1): void {
  const { background, root, content } = layer;
  if (!content || !isBlurred(layer)) {
    if (opacity === 1) {
      clearBackground(layer);
    }
    return;
  }
  if (opacity === 1) {
    background.width = BACKGROUND_WIDTH;
    background.height = Math.max(1, Math.round((BACKGROUND_WIDTH * root.clientHeight) / root.clientWidth));
  }
  const width = Math.max(
    background.width + 2 * BLUR_MARGIN,
    (background.height + 2 * BLUR_MARGIN) * content.ratio,
  );
  const height = width / content.ratio;
  const context = background.getContext('2d')!;
  context.filter = BLUR_FILTER;
  context.globalAlpha = opacity;
  context.drawImage(
    content.element,
    (background.width - width) / 2,
    (background.height - height) / 2,
    width,
    height,
  );
}

/** Updates the background of a playing video. */
export function followVideoWithBackground(layer: Layer, signal: AbortSignal): void {
  let paintedAtMs = 0;
  const onFrame = (nowMs: number) => {
    if (signal.aborted) {
      return;
    }
    if (nowMs - paintedAtMs >= FOLLOW_INTERVAL_MS) {
      paintedAtMs = nowMs;
      paintBackground(layer, FOLLOW_OPACITY);
    }
    layer.video.requestVideoFrameCallback(onFrame);
  };
  layer.video.requestVideoFrameCallback(onFrame);
}

export function clearBackground({ background }: Layer): void {
  background.width = 1;
  background.height = 1;
}

function isBlurred({ display, root, content }: Layer): boolean {
  if (!content || display.background !== 'blurred' || display.fit !== 'contain' || root.clientHeight === 0) {
    return false;
  }
  return Math.abs(content.ratio / (root.clientWidth / root.clientHeight) - 1) > ASPECT_RATIO_TOLERANCE;
}
