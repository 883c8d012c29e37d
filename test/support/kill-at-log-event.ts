import { join } from 'node:path';
import { openPlayerDatabase } from '../../src/adapters/sqlite/player-database.ts';
import type { Log } from '../../src/core/ports.ts';

/** Run as a separate process: opens the database, and is killed at the moment it logs this event. */
const [dir = '', server = '', fatalEvent = ''] = process.argv.slice(2);
const killOnEvent = (_details: object, event: string): void => {
  if (event === fatalEvent) {
    process.kill(process.pid, 'SIGKILL');
  }
};
const log: Log = {
  debug: killOnEvent,
  info: killOnEvent,
  warn: killOnEvent,
  error: killOnEvent,
  child: () => log,
};
const files = { file: join(dir, 'player.sqlite'), identityFile: join(dir, 'identity.json') };
openPlayerDatabase({ ...files, server, nowMs: 1_000, log }).close();
