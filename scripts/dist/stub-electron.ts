import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { FUSE_SENTINEL, FUSES } from './fuses.ts';

const FUSE_BYTES = Buffer.concat([
  Buffer.from(FUSE_SENTINEL),
  Buffer.from([1, FUSES.length]),
  Buffer.from('1'.repeat(FUSES.length)),
]);

/**
 * Makes a folder that electron-builder accepts as an unpacked Electron, so that packing can be checked where the real
 * one cannot be downloaded. The stub cannot run.
 */
export function makeStubElectron(folder: string, platform: 'linux' | 'win32'): void {
  mkdirSync(join(folder, 'resources'), { recursive: true });
  mkdirSync(join(folder, 'locales'), { recursive: true });
  for (const name of ['LICENSE', 'LICENSES.chromium.html', 'version', 'icudtl.dat', 'locales/en-US.pak']) {
    writeFileSync(join(folder, name), 'stub\n');
  }
  if (platform === 'linux') {
    for (const name of ['electron', 'chrome-sandbox', 'chrome_crashpad_handler']) {
      writeFileSync(join(folder, name), Buffer.concat([Buffer.from('#!/bin/sh\nexit 0\n'), FUSE_BYTES]), {
        mode: 0o755,
      });
    }
    return;
  }
  // electron-builder writes icon, version and integrity into the program, so it must be a real one: any will do.
  const program = createRequire(import.meta.url).resolve('electron-winstaller/vendor/Setup.exe');
  writeFileSync(join(folder, 'electron.exe'), Buffer.concat([readFileSync(program), FUSE_BYTES]));
}
