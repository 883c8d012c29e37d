import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { attackerMessage } from './attack/messages.ts';
import type { AttackConfig } from './attack/messages.ts';

/** The attackers, in a separate process. */
export interface Attackers {
  /** The attacks that had an effect so far: a response, or a connection. */
  countedAttacks: ReadonlySet<string>;
  /** Activities started between the two times or shortly before, latest first. */
  activeAttacks: (fromMs: number, toMs: number) => string[];
  /** Stops it; returns its responses by attack and status, and responses that must never occur. */
  stop(): Promise<{ tally: Record<string, Record<string, number>>; wrong: string[] }>;
  kill(): void;
}

/** An activity may still have an effect this long after its start. */
const ACTIVITY_WINDOW_MS = 1_500;

export function startAttackers(config: AttackConfig): Attackers {
  const child = fork(join(import.meta.dirname, 'attack/main.ts'), {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const countedAttacks = new Set<string>();
  const activities: { atMs: number; what: string }[] = [];
  const result = Promise.withResolvers<{ tally: Record<string, Record<string, number>>; wrong: string[] }>();
  result.promise.catch(() => {});
  child.on('message', (message: unknown) => {
    const one = attackerMessage.parse(message);
    if (one.type === 'started') {
      activities.push(one);
    } else if (one.type === 'counted') {
      countedAttacks.add(one.attack);
    } else {
      result.resolve(one);
    }
  });
  // By then its last message has been read.
  const exited = once(child, 'close').then(([code, signal]) =>
    result.reject(new Error(`the attacker process ended unexpectedly (${signal ?? code})`)),
  );
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.send(config);
  return {
    countedAttacks,
    activeAttacks: (fromMs, toMs) =>
      [
        ...new Set(
          activities
            .filter(({ atMs }) => atMs >= fromMs - ACTIVITY_WINDOW_MS && atMs <= toMs)
            .map(({ what }) => what),
        ),
      ].toReversed(),
    async stop() {
      if (child.connected) {
        child.send('stop');
      }
      const found = await result.promise;
      await exited;
      process.removeListener('exit', kill);
      return found;
    },
    kill,
  };
}
