import { join } from 'node:path';
import { createSqliteStore } from '../../src/adapters/sqlite-store/sqlite-store.ts';
import type { Log } from '../../src/core/ports.ts';

/** Run as a process of its own: opens the store, and is killed at the instant at which it logs this event. */
const [dir = '', server = '', deadly = ''] = process.argv.slice(2);
const at = (_facts: object, event: string): void => {
  if (event === deadly) process.kill(process.pid, 'SIGKILL');
};
const log: Log = { debug: at, info: at, warn: at, error: at, child: () => log };
const files = { file: join(dir, 'player.sqlite'), identityFile: join(dir, 'identity.json') };
createSqliteStore({ ...files, server, nowMs: 1_000, log }).close();
