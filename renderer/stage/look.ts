import type { DisplaySettings } from '@placard/protocol';

/** How everything on the stage is shown. */
export interface Look {
  fit: DisplaySettings['fit'];
  ground: DisplaySettings['ground'];
  /** Milliseconds that one showing fades into the next; 0 is a cut. */
  fadeMs: number;
}
