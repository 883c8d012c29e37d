import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createDebuggingPipe } from './debugging-pipe.ts';
import { fillScreen } from './fill-screen.ts';

const command = z.object({ id: z.number(), method: z.string(), params: z.unknown() });

/** The browser's end of a real pipe, with responses from a table. */
function fakeBrowser(responses: Record<string, object>) {
  const toBrowser = new PassThrough();
  const fromBrowser = new PassThrough();
  const heard: { method: string; params: unknown }[] = [];
  toBrowser.on('data', (chunk: Buffer) => {
    for (const text of chunk.toString('utf8').split('\0').filter(Boolean)) {
      const { id, method, params } = command.parse(JSON.parse(text));
      heard.push({ method, params });
      const response = responses[method];
      fromBrowser.write(
        `${JSON.stringify(response ? { id, result: response } : { id, error: { message: `no ${method}` } })}\0`,
      );
    }
  });
  return { pipe: createDebuggingPipe(toBrowser, fromBrowser), heard, fromBrowser };
}

const screenSizeResponse = (filled: boolean) => ({
  result: { value: { width: 1920, height: 1080, filled } },
});

test('leaves a window that fills the screen unchanged', async () => {
  const { pipe, heard } = fakeBrowser({ 'Runtime.evaluate': screenSizeResponse(true) });
  await fillScreen(pipe, 's1');
  expect(heard.map(({ method }) => method)).toEqual(['Runtime.evaluate']);
});

test('places a window that was not placed', async () => {
  const { pipe, heard } = fakeBrowser({
    'Runtime.evaluate': screenSizeResponse(false),
    'Browser.getWindowForTarget': { windowId: 7 },
    'Browser.setWindowBounds': {},
  });
  await fillScreen(pipe, 's1');
  expect(heard.slice(2).map(({ params }) => params)).toEqual([
    { windowId: 7, bounds: { windowState: 'normal' } },
    { windowId: 7, bounds: { left: -1, top: -1, width: 1922, height: 1082 } },
    { windowId: 7, bounds: { windowState: 'fullscreen' } },
  ]);
});

test('passes on errors of the browser, and its end', async () => {
  const { pipe, fromBrowser } = fakeBrowser({});
  await expect(fillScreen(pipe, 's1')).rejects.toThrow('no Runtime.evaluate');
  fromBrowser.destroy();
  await once(fromBrowser, 'close');
  await expect(pipe.send('Browser.close')).rejects.toThrow('the browser is gone');
});
