import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { carriedCacheDir, unpackCarriedBrowser } from '../../src/shells/chromium/carried-browser.ts';
import { createChromiumShell } from '../../src/shells/chromium/chromium-shell.ts';
import { electronDouble } from '../electron/electron-double.ts';
import { descendants } from '../support/program.ts';
import { shellContract } from './shell-contract.ts';

shellContract('Chromium', async () => {
  const profileDir = await mkdtemp(join(tmpdir(), 'placard-contract-'));
  const carried = await unpackCarriedBrowser(carriedCacheDir());
  const shell = createChromiumShell({
    executable: carried.executable,
    headless: true,
    profileDir,
    sandbox: false,
    env: { ...process.env, ...carried.env },
    platform: process.platform,
    windowSize: { width: 320, height: 180 },
  });
  return {
    shell,
    crash() {
      for (const { pid, command } of descendants(process.pid))
        if (command.includes('--type=renderer')) process.kill(pid, 'SIGKILL');
    },
    async end() {
      await shell.close();
      await rm(profileDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
});

// Its binary cannot be had everywhere: `npm run test:electron` drives the real one.
shellContract('Electron', async () => {
  const { shell, windows } = electronDouble(async (url) => void (await fetch(url)));
  return {
    shell,
    crash: () => windows.at(-1)?.webContents.emit('render-process-gone', {}, { reason: 'crashed' }),
    end: () => shell.close(),
  };
});
