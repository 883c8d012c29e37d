import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChromiumShell } from '../../src/shells/chromium/chromium-shell.ts';
import { createFakeElectron } from '../electron/fake-electron.ts';
import { descendants } from '../support/program.ts';
import { bundledShellDeps } from './bundled-shell.ts';
import { describeShellContract } from './shell-contract.ts';

describeShellContract('Chromium', async () => {
  const profileDir = await mkdtemp(join(tmpdir(), 'placard-contract-'));
  const shell = createChromiumShell(await bundledShellDeps(profileDir, 320, 180));
  return {
    shell,
    crash() {
      for (const { pid, command } of descendants(process.pid)) {
        if (command.includes('--type=renderer')) {
          process.kill(pid, 'SIGKILL');
        }
      }
    },
    async end() {
      await shell.close();
      await rm(profileDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
});

// A fake, because the binary is not available everywhere: `npm run test:electron` tests the real one.
describeShellContract('Electron', async () => {
  const { shell, windows } = createFakeElectron(async (url, domReady) => {
    const page = await (await fetch(url)).text();
    windows.at(-1)!.webContents.hasScriptRun = !page.includes('data-script');
    domReady();
    for (const [, picture = ''] of page.matchAll(/<img src="([^"]+)"/g)) {
      await fetch(new URL(picture, url));
    }
  });
  return {
    shell,
    crash: () => windows.at(-1)?.webContents.emit('render-process-gone', {}, { reason: 'crashed' }),
    end: () => shell.close(),
  };
});
