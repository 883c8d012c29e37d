import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { startProgram } from '../support/program.ts';

let folder: string;

beforeEach(() => {
  folder = tempDir();
});

/** The output of a smoke test, and its exit code. */
async function smokeTest(args: string[], env: Record<string, string> = {}) {
  const program = startProgram(['src/shells/main.ts', '--smoke-test', '--data', folder, ...args], env);
  const { code } = await program.ended;
  return { code, report: JSON.parse(program.output().stdout) as unknown };
}

test('a smoke test writes to disk, plays a video, takes a screenshot, and prints the results', async () => {
  expect(await smokeTest(['--shell', 'headless'])).toMatchObject({
    code: 0,
    report: {
      ok: true,
      shell: 'headless',
      store: { ok: true },
      clip: { ok: true, detail: expect.stringMatching(/^played for \d+ ms$/) },
      picture: { ok: true },
    },
  });
});

test('a smoke test of a player that cannot show anything fails, and names the failed part', async () => {
  const broken = join(folder, 'chromium');
  await writeFile(broken, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  expect(await smokeTest(['--shell', 'headless'], { PATH: folder })).toMatchObject({
    code: 1,
    report: { ok: false, store: { ok: true }, clip: { ok: false }, picture: { ok: false } },
  });
});
