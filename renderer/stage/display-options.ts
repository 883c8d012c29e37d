import type { DisplaySettings } from '@placard/protocol';

/** Display settings of the stage. */
export interface DisplayOptions {
  fit: DisplaySettings['fit'];
  background: DisplaySettings['background'];
  /** Duration of the fade between showings in milliseconds; 0 is a hard cut. */
  fadeMs: number;
}
