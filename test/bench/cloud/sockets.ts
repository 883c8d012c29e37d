/**
 * Sockets of devices, beside a bare `ws` server: connecting, memory, and a message to all; and all that connect at once.
 * `npm run bench:sockets`.
 */
import { readFileSync } from 'node:fs';
import { median } from '../median.ts';
import { connectDevices, untilAllReceived } from './connect-devices.ts';
import { deployPlaylist } from './deployed-playlist.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { EVERY_TAG } from './fill-database.ts';
import { startFleet } from './fleet.ts';
import { cpuMicros, startBareServer } from './servers.ts';
import { measureStorms } from './storm.ts';

const SOCKETS = 10_000;
const ROUNDS = 3;
const MESSAGES = 5;

const rssBytes = (pid: number) =>
  1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

type ServerFigures = Record<'perSecond' | 'perCpuSecond' | 'bytesEach' | 'broadcastMs', number>;

/** Connects all devices and sends a message to all of them; `send` makes the server send it. */
async function measureServer(
  server: { url: string; pid: number },
  tokens: readonly string[],
  send: (first: () => void) => Promise<unknown>,
): Promise<ServerFigures> {
  const restBytes = rssBytes(server.pid);
  const beganMicros = cpuMicros(server.pid);
  const connected = await connectDevices(server.url, tokens, { hello: true });
  const perCpuSecond = (tokens.length / (cpuMicros(server.pid) - beganMicros)) * 1e6;
  const bytesEach = (rssBytes(server.pid) - restBytes) / tokens.length;
  const broadcastMs: number[] = [];
  for (let message = 0; message < MESSAGES; message++) {
    const told = untilAllReceived(connected.sockets);
    await send(() => connected.sockets[0]?.send('{}'));
    broadcastMs.push(await told);
  }
  connected.close();
  const { perSecond } = connected;
  return { perSecond, perCpuSecond, bytesEach, broadcastMs: median(broadcastMs) };
}

export async function measureSockets(settings: Settings): Promise<Figure[]> {
  return [...(await measureConnected(settings)), ...(await measureStorms(settings))];
}

async function measureConnected(settings: Settings): Promise<Figure[]> {
  const fleet = await startFleet(settings.count(SOCKETS));
  const bare = await startBareServer('ws');
  try {
    const edit = await deployPlaylist(fleet.cloud, EVERY_TAG);
    const tokens = fleet.devices.map(({ token }) => token);
    const limits: ServerFigures[] = [];
    const ours: ServerFigures[] = [];
    let turn = 0;
    // Each key has a rate limit.
    const editNext = () => edit(11 + turn, fleet.writeKeys[turn++ % fleet.writeKeys.length]);
    for (let round = 0; round < settings.rounds(ROUNDS); round++) {
      limits.push(await measureServer(bare, tokens, async (first) => first()));
      ours.push(await measureServer(fleet.cloud, tokens, editNext));
    }
    const limit = (key: keyof ServerFigures) => ({
      name: 'bare ws',
      value: median(limits.map((each) => each[key])),
    });
    return [
      {
        name: `${tokens.length.toLocaleString('en')} sockets: connects a second`,
        ours: median(ours.map(({ perSecond }) => perSecond)),
        unit: '/s',
        limit: limit('perSecond'),
        goal: 0.5,
        isMoreBetter: true,
      },
      // The one client needs more time to connect than a bare server, which could take more than it gets.
      {
        name: '… connects for a second of server CPU',
        ours: median(ours.map(({ perCpuSecond }) => perCpuSecond)),
        unit: '/s',
        limit: limit('perCpuSecond'),
        goal: 0.5,
        isMoreBetter: true,
      },
      // Only the first round: memory that was freed is used again by the next.
      { name: '… memory of each', ours: ours[0]!.bytesEach / 1000, unit: 'kB', limit: null, goal: 12 },
      {
        name: '… a change told to all',
        ours: median(ours.map(({ broadcastMs }) => broadcastMs)),
        unit: 'ms',
        limit: limit('broadcastMs'),
        goal: 1.5,
      },
    ];
  } finally {
    bare.stop();
    await fleet.stop();
  }
}
