import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChromiumShell } from '../../src/shells/chromium/chromium-shell.ts';
import { electronDouble } from '../electron/electron-double.ts';
import { descendants } from '../support/program.ts';
import { carriedShell } from './carried-shell.ts';
import { shellContract } from './shell-contract.ts';

shellContract('Chromium', async () => {
  const profileDir = await mkdtemp(join(tmpdir(), 'placard-contract-'));
  const shell = createChromiumShell(await carriedShell(profileDir, 320, 180));
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
  const { shell, windows } = electronDouble(async (url, domReady) => {
    const page = await (await fetch(url)).text();
    domReady();
    for (const [, picture = ''] of page.matchAll(/ src="([^"]+)"/g)) await fetch(new URL(picture, url));
  });
  return {
    shell,
    crash: () => windows.at(-1)?.webContents.emit('render-process-gone', {}, { reason: 'crashed' }),
    end: () => shell.close(),
  };
});
