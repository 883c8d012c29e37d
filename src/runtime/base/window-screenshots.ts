import { MAX_SCREENSHOT_BYTES, screenshotPixelsFor } from '@placard/protocol';
import type { ScreenshotUpload } from '@placard/protocol';
import type { Clock } from '../../core/ports.ts';
import type { FromRuntimeMessage, ParsedToRuntimeMessage } from '../shell-messages.ts';
import type { PlayerState } from './player-state.ts';
import { nowPlaying } from './status.ts';

/** A window that draws nothing gives no picture. */
const TIMEOUT_MS = 15_000;

/** Longer side of a picture that is too large otherwise, of noise for example. */
const SMALL_SCREENSHOT_PIXELS = 640;
const MAX_SCREENSHOT_CHARS = Math.floor(MAX_SCREENSHOT_BYTES / 3) * 4;

/** Pictures of the window, which the shell takes. */
export function createWindowScreenshots({
  clock,
  shell,
  playerState,
}: {
  clock: Clock;
  shell: { send(message: FromRuntimeMessage): void };
  playerState: Pick<PlayerState, 'fields'>;
}) {
  const waiting = new Map<number, (image: string | null) => void>();
  let lastId = 0;

  /** A JPEG image in Base64 whose longer side has at most `maxPixels`. */
  async function takeImage(maxPixels: number, signal: AbortSignal): Promise<string> {
    lastId += 1;
    const id = lastId;
    const answered = new AbortController();
    const answer = new Promise<string | null>((resolve) => waiting.set(id, resolve));
    const timeout = clock.sleep(TIMEOUT_MS, AbortSignal.any([signal, answered.signal]));
    shell.send({ type: 'screenshot_wanted', id, maxPixels });
    try {
      const image = await Promise.race([answer, timeout.then(() => null)]);
      if (image === null) {
        throw new Error('there is no window to take a picture of, or it draws nothing');
      }
      return image;
    } finally {
      waiting.delete(id);
      answered.abort();
    }
  }

  return {
    /**
     * A picture that is small enough to be sent, with what the player believes to show. Throws when there is no window, when it
     * gives no picture, and where pictures are forbidden.
     */
    take: async (
      signal: AbortSignal,
      maxPixels = screenshotPixelsFor(playerState.fields.cloudProtocol),
    ): Promise<Pick<ScreenshotUpload, 'taken_at' | 'current' | 'image'>> => {
      if (!playerState.fields.allowsScreenshots) {
        throw new Error('screenshots are forbidden by the settings of the device or of the organization');
      }
      const taken_at = new Date(clock.wallMs()).toISOString();
      const current = nowPlaying(playerState.fields);
      const picture = await takeImage(maxPixels, signal);
      const image =
        picture.length <= MAX_SCREENSHOT_CHARS ? picture : await takeImage(SMALL_SCREENSHOT_PIXELS, signal);
      return { taken_at, current, image };
    },
    /** The shell has answered. */
    onScreenshot: ({ id, image }: Extract<ParsedToRuntimeMessage, { type: 'screenshot' }>): void =>
      waiting.get(id)?.(image),
  };
}

export type WindowScreenshots = ReturnType<typeof createWindowScreenshots>;
