import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { told } from './attack/messages.ts';
import type { Orders } from './attack/messages.ts';

/** The hostile side, in a process of its own. */
export interface Attackers {
  /** What it began at or before the instant and not long ago, latest first. */
  doing: (fromMs: number, toMs: number) => string[];
  /** Ends it; answers with its answers by attack and status, and with those that nobody should ever get. */
  stop(): Promise<{ tally: Record<string, Record<string, number>>; wrong: string[] }>;
  kill(): void;
}

/** What was begun so long before may still be at work. */
const BEFORE_MS = 1_500;

export function startAttackers(orders: Orders): Attackers {
  const child = fork(join(import.meta.dirname, 'attack/main.ts'), {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const did: { atMs: number; what: string }[] = [];
  const over = Promise.withResolvers<{ tally: Record<string, Record<string, number>>; wrong: string[] }>();
  over.promise.catch(() => {});
  child.on('message', (message: unknown) => {
    const one = told.parse(message);
    if (one.type === 'did') did.push(one);
    else over.resolve(one);
  });
  const exited = once(child, 'exit').then(([code, signal]) =>
    over.reject(new Error(`the hostile side ended by itself (${signal ?? code})`)),
  );
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.send(orders);
  return {
    doing: (fromMs, toMs) =>
      [
        ...new Set(
          did.filter(({ atMs }) => atMs >= fromMs - BEFORE_MS && atMs <= toMs).map(({ what }) => what),
        ),
      ].toReversed(),
    async stop() {
      if (child.connected) child.send('stop');
      const found = await over.promise;
      await exited;
      process.removeListener('exit', kill);
      return found;
    },
    kill,
  };
}
