/** What streams of events cost the cloud in memory. `npm run bench:streams`. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { median } from '../median.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { startFleet } from './fleet.ts';

const STREAMS = 1_000;
const ROUNDS = 3;
const AT_ONCE = 50;
/** Few, because the cloud also remembers each key; each may make 100 requests a minute. */
const KEYS = 40;
const GOAL_KB = 10;

const rssBytes = (pid: number) =>
  1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** Resolves when the stream has sent its first line. */
async function openStream(url: string, key: string, agent: Agent): Promise<void> {
  const request = get(`${url}/v1/events`, {
    agent,
    headers: { accept: 'text/event-stream', authorization: `Bearer ${key}` },
  });
  const response: IncomingMessage = (await once(request, 'response'))[0];
  if (response.statusCode !== 200) {
    throw new Error(`the cloud answered a stream with ${response.statusCode}`);
  }
  // Its end, when the agent is destroyed, is of no interest.
  response.on('error', () => {});
  await once(response, 'data');
}

async function openStreams(count: number, open: () => Promise<void>): Promise<void> {
  let left = count;
  const openSome = async () => {
    while (left-- > 0) {
      await open();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, openSome));
}

/** Resident memory of a stream, in bytes: of the first, and of as many more. Of a new cloud, because freed memory is used again. */
async function measureRound(count: number): Promise<{ first: number; next: number }> {
  const fleet = await startFleet(1);
  const agent = new Agent();
  let opened = 0;
  const open = () => openStream(fleet.cloud.url, fleet.readKeys[opened++ % KEYS]!, agent);
  const bytesEach = async () => {
    const beforeBytes = rssBytes(fleet.cloud.pid);
    await openStreams(count, open);
    return (rssBytes(fleet.cloud.pid) - beforeBytes) / count;
  };
  try {
    return { first: await bytesEach(), next: await bytesEach() };
  } finally {
    agent.destroy();
    await fleet.stop();
  }
}

const figure = (name: string, bytes: readonly number[]): Figure => ({
  name,
  ours: median(bytes) / 1000,
  unit: 'kB',
  limit: null,
  goal: GOAL_KB,
});

export async function measureStreams(settings: Settings): Promise<Figure[]> {
  const count = settings.count(STREAMS);
  const rounds: Awaited<ReturnType<typeof measureRound>>[] = [];
  for (let round = 0; round < settings.rounds(ROUNDS); round++) {
    rounds.push(await measureRound(count));
  }
  const shown = count.toLocaleString('en');
  return [
    figure(
      `${shown} streams of events: memory of each`,
      rounds.map(({ first }) => first),
    ),
    figure(
      `… of each of ${shown} more`,
      rounds.map(({ next }) => next),
    ),
  ];
}
