import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MAX_SCREENSHOT_PIXELS } from '@placard/protocol';
import { createChromiumShell } from '../../../src/shells/chromium/chromium-shell.ts';

export interface VirtualDisplay {
  /** E.g. `:1`. */
  display: string;
  /** Opens the page as the player does: full screen, without browser UI. */
  open(url: string): Promise<void>;
  /** Takes a picture of the page as the player does for people far away. */
  takePicture(): Promise<void>;
  close(): Promise<void>;
}

/** A virtual display (Xvfb) with the player's own Chromium shell on it. */
export async function openVirtualDisplay(
  executable: string,
  size: { width: number; height: number },
): Promise<VirtualDisplay> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-gap-'));
  const server = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', `${size.width}x${size.height}x24`, '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  const display = await readDisplayNumber(server);
  const shell = createChromiumShell({
    executable,
    headless: false,
    profileDir: join(folder, 'browser'),
    sandbox: process.getuid?.() !== 0,
    env: { ...process.env, DISPLAY: display, WAYLAND_DISPLAY: undefined },
    platform: process.platform,
    hasGraphics: true,
    windowSize: null,
  });
  return {
    display,
    open: (url) => shell.open(url),
    async takePicture() {
      await shell.captureJpeg(MAX_SCREENSHOT_PIXELS);
    },
    async close() {
      await shell.close();
      const ended = once(server, 'close');
      server.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Xvfb chooses a free display number and writes it to file descriptor 3 once it is ready. */
async function readDisplayNumber(server: ChildProcess): Promise<string> {
  const pipe = server.stdio[3];
  if (!pipe || !('read' in pipe)) {
    throw new Error('Xvfb has no pipe for its display number');
  }
  const numberLine = once(createInterface({ input: pipe }), 'line');
  const closedEarly = once(server, 'close').then(() => Promise.reject(new Error('Xvfb did not start')));
  const [number]: unknown[] = await Promise.race([numberLine, closedEarly]);
  return `:${String(number)}`;
}
