import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ClockedCloudSettings } from './clocked-cloud.ts';

/** The nodes of a cloud, in processes of their own that can be killed, with a clock that goes on over it. */
export interface ClockedNodes {
  nowMs(): number;
  /** Numbers of the nodes that run. */
  running(): number[];
  /** Lets time pass in those that run; does not wait for one that is killed meanwhile. */
  advance(ms: number): Promise<void>;
  /** Kills a node without clean-up. */
  kill(node: number): Promise<void>;
  /** Starts one that was killed, after so much time of the clock. */
  start(node: number, downMs: number): Promise<void>;
  killAll(): Promise<void>;
}

interface Running {
  child: ChildProcess;
  ended: Promise<unknown>;
}

export async function startClockedNodes(
  settings: readonly Omit<ClockedCloudSettings, 'startMs'>[],
  startMs: number,
): Promise<ClockedNodes> {
  let nowMs = startMs;
  const nodes = new Map<number, Running>();
  const killOnExit = () => nodes.forEach(({ child }) => child.kill('SIGKILL'));
  process.once('exit', killOnExit);

  const start = async (node: number) => {
    const given = { ...settings[node], startMs: nowMs };
    const child = fork(join(import.meta.dirname, 'clocked-cloud.ts'), {
      env: { ...process.env, PLACARD_CLOCKED: JSON.stringify(given) },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const ended = once(child, 'exit');
    nodes.set(node, { child, ended });
    const isReady = await Promise.race([once(child, 'message').then(() => true), ended.then(() => false)]);
    if (!isReady) {
      throw new Error(`node ${node} ended before it was ready`);
    }
  };
  const kill = async (node: number) => {
    const running = nodes.get(node);
    nodes.delete(node);
    running?.child.kill('SIGKILL');
    await running?.ended;
  };

  // One after the other: the first one creates the tables.
  for (const node of settings.keys()) {
    await start(node);
  }
  return {
    nowMs: () => nowMs,
    running: () => [...nodes.keys()],
    async advance(ms) {
      nowMs += ms;
      const advanced = [...nodes.values()].map(({ child, ended }) => {
        const answered = once(child, 'message');
        answered.catch(() => {});
        child.send(ms, () => {});
        return Promise.race([answered, ended]);
      });
      await Promise.all(advanced);
    },
    kill,
    async start(node, downMs) {
      nowMs += downMs;
      await start(node);
    },
    async killAll() {
      await Promise.all([...nodes.keys()].map(kill));
      process.removeListener('exit', killOnExit);
    },
  };
}
