import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { FromRuntimeMessage } from '../../runtime/shell-messages.ts';
import { startNodeRuntime } from './runtime-process.ts';

let folder: string;

beforeEach(() => {
  folder = tempDir();
});

/** Starts a script as the runtime; resolves with its messages when it has ended. */
async function run(script: string, env?: Record<string, string>) {
  const entry = join(folder, 'runtime.mjs');
  await writeFile(entry, script);
  const heard: FromRuntimeMessage[] = [];
  const { promise, resolve } = Promise.withResolvers<string>();
  startNodeRuntime(entry, { onMessage: (message) => heard.push(message), onExit: resolve }, env);
  return { reason: await promise, heard };
}

test('passes the environment on, with additions', async () => {
  const script = `process.send({ type: 'ready', port: Number(process.env.PATH.length > 0 && process.env.ADDED) }, () => process.exit(7))`;
  expect(await run(script, { ADDED: '4711' })).toEqual({
    reason: 'code 7',
    heard: [{ type: 'ready', port: 4711 }],
  });
});

test('ignores messages that it does not understand', async () => {
  const script = `process.send({ type: 'from_the_future' }, () => process.kill(process.pid, 'SIGKILL'))`;
  expect(await run(script)).toEqual({ reason: 'SIGKILL', heard: [] });
});

test('reports a missing program', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  startNodeRuntime(join(folder, 'none.mjs'), { onMessage() {}, onExit: resolve });
  expect(await promise).toBe('code 1');
});
