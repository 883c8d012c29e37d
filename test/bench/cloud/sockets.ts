/** Sockets of devices, beside a bare `ws` server: connecting, memory, and a message to all. `npm run bench:sockets`. */
import { readFileSync } from 'node:fs';
import { median } from '../median.ts';
import { connectDevices, untilAllReceived } from './connect-devices.ts';
import { deployPlaylist } from './deployed-playlist.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { EVERY_TAG, startFleet } from './fleet.ts';
import { startBareServer } from './servers.ts';

const SOCKETS = 10_000;
const MESSAGES = 5;

const rssBytes = (pid: number) =>
  1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** Connects all devices and sends some messages to all of them; `send` makes the server send one. */
async function measureServer(
  server: { url: string; pid: number },
  tokens: readonly string[],
  send: (round: number, first: () => void) => Promise<unknown>,
) {
  const restBytes = rssBytes(server.pid);
  const connected = await connectDevices(server.url, tokens);
  const bytesEach = (rssBytes(server.pid) - restBytes) / tokens.length;
  const broadcastMs: number[] = [];
  for (let round = 0; round < MESSAGES; round++) {
    const told = untilAllReceived(connected.sockets);
    await send(round, () => connected.sockets[0]?.send('{}'));
    broadcastMs.push(await told);
  }
  connected.close();
  return { perSecond: connected.perSecond, bytesEach, broadcastMs: median(broadcastMs) };
}

export async function measureSockets(settings: Settings): Promise<Figure[]> {
  const fleet = await startFleet(settings.count(SOCKETS));
  const bare = await startBareServer('ws');
  try {
    const edit = await deployPlaylist(fleet.cloud, EVERY_TAG);
    const tokens = fleet.devices.map(({ token }) => token);
    const limit = await measureServer(bare, tokens, async (_round, first) => first());
    const ours = await measureServer(fleet.cloud, tokens, (round) => edit(11 + round));
    return [
      {
        name: `${tokens.length.toLocaleString('en')} sockets: connects a second`,
        ours: ours.perSecond,
        unit: '/s',
        limit: { name: 'bare ws', value: limit.perSecond },
        goal: 0.5,
        isMoreBetter: true,
      },
      { name: '… memory of each', ours: ours.bytesEach / 1000, unit: 'kB', limit: null, goal: 12 },
      {
        name: '… a change told to all',
        ours: ours.broadcastMs,
        unit: 'ms',
        limit: { name: 'bare ws', value: limit.broadcastMs },
        goal: 1.5,
      },
    ];
  } finally {
    bare.stop();
    await fleet.stop();
  }
}
