import { z } from 'zod';
import { EDGE_PIXELS } from './browser-flags.ts';
import type { DebuggingPipe } from './debugging-pipe.ts';

const SIZES = `({
  width: screen.width,
  height: screen.height,
  filled: innerWidth >= screen.width && innerHeight >= screen.height,
})`;
const sizes = z.object({ width: z.number(), height: z.number(), filled: z.boolean() });

/**
 * A kiosk window asks the window manager for the whole screen. Where there is none, as on a bare X server, nobody
 * answers: then the window is placed here, with its edge outside the screen.
 */
export async function fillScreen(pipe: DebuggingPipe, sessionId: string): Promise<void> {
  const { result } = await pipe.send(
    'Runtime.evaluate',
    { expression: SIZES, returnByValue: true },
    sessionId,
  );
  const { width, height, filled } = sizes.parse(result.value);
  if (filled) return;
  const { windowId } = await pipe.send('Browser.getWindowForTarget', {}, sessionId);
  const place = (bounds: object) => pipe.send('Browser.setWindowBounds', { windowId, bounds });
  await place({ windowState: 'normal' });
  await place({
    left: -EDGE_PIXELS,
    top: -EDGE_PIXELS,
    width: width + 2 * EDGE_PIXELS,
    height: height + 2 * EDGE_PIXELS,
  });
  await place({ windowState: 'fullscreen' });
}
