import type { Surface } from './surface.ts';

/** So few pixels that pulling them up to panel size leaves nothing but soft colours. */
const GROUND_WIDTH = 96;
const SOFTEN = 'blur(7px) brightness(0.55)';
/** Drawn beyond the edges, where softening would let black in. */
const MARGIN = 22;
/** A moving picture changes its ground this often, by this part, so that the ground moves more calmly than it does. */
const FOLLOW_EVERY_MS = 120;
const FOLLOW_PART = 0.3;
/** Bars thinner than this part of the panel are black. */
const SAME_SHAPE = 0.004;

/** Draws what is seen beside the picture of this layer: the picture itself, blurred, or nothing (black). */
export function paintGround(surface: Surface, part = 1): void {
  const { ground, root, shown } = surface;
  if (!shown || !isBlurred(surface)) {
    if (part === 1) clearGround(surface);
    return;
  }
  if (part === 1) {
    ground.width = GROUND_WIDTH;
    ground.height = Math.max(1, Math.round((GROUND_WIDTH * root.clientHeight) / root.clientWidth));
  }
  const width = Math.max(ground.width + 2 * MARGIN, (ground.height + 2 * MARGIN) * shown.ratio);
  const height = width / shown.ratio;
  const context = ground.getContext('2d')!;
  context.filter = SOFTEN;
  context.globalAlpha = part;
  context.drawImage(shown.element, (ground.width - width) / 2, (ground.height - height) / 2, width, height);
}

/** Lets the ground of a playing video move with it. */
export function followWithGround(surface: Surface, signal: AbortSignal): void {
  let paintedAtMs = 0;
  const onFrame = (nowMs: number) => {
    if (signal.aborted) return;
    if (nowMs - paintedAtMs >= FOLLOW_EVERY_MS) {
      paintedAtMs = nowMs;
      paintGround(surface, FOLLOW_PART);
    }
    surface.video.requestVideoFrameCallback(onFrame);
  };
  surface.video.requestVideoFrameCallback(onFrame);
}

export function clearGround({ ground }: Surface): void {
  ground.width = 1;
  ground.height = 1;
}

function isBlurred({ look, root, shown }: Surface): boolean {
  if (!shown || look.ground !== 'blurred' || look.fit !== 'contain' || root.clientHeight === 0) return false;
  return Math.abs(shown.ratio / (root.clientWidth / root.clientHeight) - 1) > SAME_SHAPE;
}
