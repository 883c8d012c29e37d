import type { Clock } from '../../core/ports.ts';
import type { FromRuntimeMessage, ParsedToRuntimeMessage } from '../shell-messages.ts';

/** A window that draws nothing gives no picture. */
const TIMEOUT_MS = 15_000;

/** Pictures of the window, which the shell takes. */
export function createWindowScreenshots({
  clock,
  shell,
}: {
  clock: Clock;
  shell: { send(message: FromRuntimeMessage): void };
}) {
  const waiting = new Map<number, (image: string | null) => void>();
  let lastId = 0;
  return {
    /**
     * A JPEG image in Base64 whose longer side has at most `maxPixels`. Throws when there is no window, or when it gives no
     * picture.
     */
    take: async (maxPixels: number, signal: AbortSignal): Promise<string> => {
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
    },
    /** The shell has answered. */
    onScreenshot: ({ id, image }: Extract<ParsedToRuntimeMessage, { type: 'screenshot' }>): void =>
      waiting.get(id)?.(image),
  };
}

export type WindowScreenshots = ReturnType<typeof createWindowScreenshots>;
