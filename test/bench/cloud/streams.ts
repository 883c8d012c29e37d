/** What streams of events take of memory: of the cloud, and of a bare `node:http` server. `npm run bench:streams`. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../median.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { startFleet } from './fleet.ts';
import { startBareServerLikeCloud } from './servers.ts';

const STREAMS = 1_000;
const ROUNDS = 3;
const AT_ONCE = 50;
/** How often as many streams are opened and closed before those that are measured in a warm process. */
const WARM_UPS = 3;
/** Before memory is read: what has just been opened or closed leaves work behind. */
const REST_MS = 5_000;
/** Few, because the cloud also remembers each key; each may make 100 requests a minute. */
const KEYS = 80;
/** Of the head of our response, without the names of the two headers that the bare server sends. */
const HEAD_BYTES = 330;
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

/** Resident memory of a stream, in bytes. */
interface Round {
  /** In a new process, with what that grows by itself. */
  fresh: number;
  /** In a process that had as many before, and has none now. */
  warm: number;
  /** Of as many more beside them: freed memory cannot be used again for these. */
  more: number;
}

async function measureRound(
  { url, pid }: { url: string; pid: number },
  keys: readonly string[],
  count: number,
  restMs: number,
): Promise<Round> {
  const agents: Agent[] = [];
  let opened = 0;
  const openAll = async () => {
    const agent = new Agent();
    agents.push(agent);
    await openStreams(count, () => openStream(url, keys[opened++ % KEYS]!, agent));
  };
  const closeAll = () => agents.splice(0).forEach((agent) => agent.destroy());
  const restingBytes = async () => {
    await sleep(restMs);
    return rssBytes(pid);
  };
  const bytesEach = async () => {
    const beforeBytes = await restingBytes();
    await openAll();
    return ((await restingBytes()) - beforeBytes) / count;
  };
  try {
    const fresh = await bytesEach();
    for (let warmUp = 1; warmUp < WARM_UPS; warmUp++) {
      closeAll();
      await openAll();
    }
    closeAll();
    return { fresh, warm: await bytesEach(), more: await bytesEach() };
  } finally {
    closeAll();
  }
}

export async function measureStreams(settings: Settings): Promise<Figure[]> {
  const count = settings.count(STREAMS);
  const restMs = settings.msOf(REST_MS);
  const ours: Round[] = [];
  const bare: Round[] = [];
  for (let round = 0; round < settings.rounds(ROUNDS); round++) {
    const fleet = await startFleet(1);
    try {
      ours.push(await measureRound(fleet.cloud, fleet.readKeys, count, restMs));
      const server = await startBareServerLikeCloud('streams', String(HEAD_BYTES));
      bare.push(await measureRound(server, fleet.readKeys, count, restMs));
      server.stop();
    } finally {
      await fleet.stop();
    }
  }
  const shown = count.toLocaleString('en');
  return [
    // No goal: most of it is not of the streams.
    figure(`${shown} streams of events in a new process: memory of each`, ours, 'fresh', null),
    figure('… in a process that had as many before', ours, 'warm', GOAL_KB),
    figure(`… of each of ${shown} more`, ours, 'more', GOAL_KB),
    figure(`bare node:http, ${shown} in a new process: memory of each`, bare, 'fresh', null),
    figure('… in a process that had as many before', bare, 'warm', null),
    figure(`… of each of ${shown} more`, bare, 'more', null),
  ];
}

function figure(name: string, rounds: readonly Round[], kind: keyof Round, goal: number | null): Figure {
  const kilobytes = rounds.map((round) => round[kind] / 1000);
  const [least, most] = [Math.min(...kilobytes), Math.max(...kilobytes)];
  const detail = `${least.toFixed(1)} to ${most.toFixed(1)}`;
  return { name, ours: median(kilobytes), unit: 'kB', limit: null, goal, detail };
}
