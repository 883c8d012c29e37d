import { fork } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fromRuntimeMessage } from '../../src/runtime/shell-messages.ts';
import type { ToRuntimeMessage } from '../../src/runtime/shell-messages.ts';

const START_TIMEOUT_MS = 30_000;

/** Starts the runtime of a packaged player as a shell would, and waits until it is ready, with its database open. */
export async function startRuntime(app: string, node: string, work: string): Promise<void> {
  const child = fork(join(app, 'dist/runtime/main.js'), { execPath: node, execArgv: [], silent: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => (output += String(text)));
  }
  const start: ToRuntimeMessage = {
    type: 'start',
    config: {
      server: 'http://127.0.0.1:9',
      dataDir: mkdtempSync(join(work, 'player-')),
      rendererDir: join(app, 'dist/renderer'),
      shell: 'headless',
    },
    port: 0,
    session: 's'.repeat(43),
  };
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) =>
        reject(new Error(`${why}:\n${output.trim().split('\n').slice(-8).join('\n')}`));
      timer = setTimeout(() => fail('the runtime was not ready in time'), START_TIMEOUT_MS);
      child.once('exit', (code) => fail(`the runtime exited with ${code}`));
      child.on('message', (message) => {
        if (fromRuntimeMessage.safeParse(message).data?.type === 'ready') {
          resolve();
        }
      });
      child.send(start);
    });
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
    await ended;
  }
}
