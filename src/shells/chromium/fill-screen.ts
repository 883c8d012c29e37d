import { z } from 'zod';
import { WINDOW_BORDER_PX } from './browser-flags.ts';
import type { DebuggingPipe } from './debugging-pipe.ts';

const SCREEN_SIZE_EXPRESSION = `({
  width: screen.width,
  height: screen.height,
  filled: innerWidth >= screen.width && innerHeight >= screen.height,
})`;
const screenSize = z.object({ width: z.number(), height: z.number(), filled: z.boolean() });

/**
 * A kiosk window asks the window manager for the whole screen. Without one, as on a bare X server, the request is
 * ignored: then the window is placed here, with its border outside the screen.
 */
export async function fillScreen(pipe: DebuggingPipe, sessionId: string): Promise<void> {
  const { result } = await pipe.send(
    'Runtime.evaluate',
    { expression: SCREEN_SIZE_EXPRESSION, returnByValue: true },
    sessionId,
  );
  const { width, height, filled } = screenSize.parse(result.value);
  if (filled) {
    return;
  }
  const { windowId } = await pipe.send('Browser.getWindowForTarget', {}, sessionId);
  const setBounds = (bounds: object) => pipe.send('Browser.setWindowBounds', { windowId, bounds });
  await setBounds({ windowState: 'normal' });
  await setBounds({
    left: -WINDOW_BORDER_PX,
    top: -WINDOW_BORDER_PX,
    width: width + 2 * WINDOW_BORDER_PX,
    height: height + 2 * WINDOW_BORDER_PX,
  });
  await setBounds({ windowState: 'fullscreen' });
}
