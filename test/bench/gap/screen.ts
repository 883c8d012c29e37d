import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createChromiumShell } from '../../../src/shells/chromium/chromium-shell.ts';

export interface VirtualScreen {
  /** E.g. `:1`. */
  display: string;
  /** Opens the page as the player does: the whole screen, no bars. */
  open(url: string): Promise<void>;
  close(): Promise<void>;
}

/** A display without a monitor (Xvfb) and the player's own Chromium shell on it. */
export async function openScreen(
  executable: string,
  size: { width: number; height: number },
): Promise<VirtualScreen> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-gap-'));
  const server = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', `${size.width}x${size.height}x24`, '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  const display = await displayOf(server);
  const shell = createChromiumShell({
    executable,
    headless: false,
    profileDir: join(folder, 'browser'),
    sandbox: process.getuid?.() !== 0,
    env: { ...process.env, DISPLAY: display, WAYLAND_DISPLAY: undefined },
    platform: process.platform,
    graphics: true,
    windowSize: null,
  });
  return {
    display,
    open: (url) => shell.open(url),
    async close() {
      await shell.close();
      const ended = once(server, 'close');
      server.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Xvfb chooses a free number and writes it to the fourth pipe once it is ready. */
async function displayOf(server: ChildProcess): Promise<string> {
  const pipe = server.stdio[3];
  if (!pipe || !('read' in pipe)) throw new Error('Xvfb has no pipe to tell its number by');
  const told = once(createInterface({ input: pipe }), 'line');
  const gone = once(server, 'close').then(() => Promise.reject(new Error('Xvfb did not start')));
  const [number]: unknown[] = await Promise.race([told, gone]);
  return `:${String(number)}`;
}
