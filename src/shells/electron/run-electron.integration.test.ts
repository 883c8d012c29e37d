import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { findElectronBinary } from './electron-binary.ts';
import { runElectron } from './run-electron.ts';

async function program(script: string): Promise<string> {
  const path = join(tempDir(), 'program.sh');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describe('Electron', () => {
  const log = { info: () => {}, warn: () => {}, error: () => {} };

  test('is missing when its binary was never downloaded', () => {
    expect(findElectronBinary({ ELECTRON_OVERRIDE_DIST_PATH: join(tempDir(), 'nowhere') })).toBeNull();
  });

  test('passes its exit code on', async () => {
    const binary = await program('test "$1" = main.js && test "$2" = --server && exit 75');
    const exitCode = await runElectron({
      binary,
      args: ['main.js', '--server'],
      log,
      signal: new AbortController().signal,
    });
    expect(exitCode).toBe(75);
  });

  test('is asked to end when the player is', async () => {
    const binary = await program('trap "exit 0" TERM; while :; do sleep 0.05; done');
    const ending = new AbortController();
    const ended = runElectron({ binary, args: [], log, signal: ending.signal });
    ending.abort();
    // Ended by its own handler, or by the signal if that came first.
    expect([0, 1]).toContain(await ended);
  });

  test('that cannot be started is a failure, not a crash', async () => {
    const signal = new AbortController().signal;
    expect(await runElectron({ binary: join(tempDir(), 'none'), args: [], log, signal })).toBe(1);
  });
});
