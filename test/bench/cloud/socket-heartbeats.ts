/**
 * Server CPU of a heartbeat over the socket of a device, beside a bare `ws` server that returns the same bytes, and one
 * that also stores them.
 * `npm run bench:socket-heartbeats`.
 */
import type { Figure } from '../figures.ts';
import { median } from '../median.ts';
import type { Settings } from '../settings.ts';
import { connectDevices } from './connect-devices.ts';
import { inRandomOrder, writeSamples } from './fleet-history.ts';
import { startFleet } from './fleet.ts';
import { FLEET_PER_SECOND } from './pace.ts';
import { startBareServer } from './servers.ts';
import {
  isAcknowledgement,
  runPacedSocketHeartbeats,
  runSocketHeartbeats,
  sendFirstHeartbeats,
} from './socket-load.ts';
import type { SocketTarget } from './socket-load.ts';

const DEVICES = 5_000;
const MIN_DEVICES = 500;
const ROUNDS = 12;
/** Of the usual duration: many short rounds, because the speed of a shared machine changes within seconds. */
const PART = 1 / 3;
/** Times the usual duration: most of the code is compiled then. In the first seconds the compiler takes up to a fifth of the time. */
const WARM_UP = 2;
/** Sockets that wait for an answer at the same time: more than the heartbeats of one transaction. */
const AT_ONCE = 512;

export async function measureSocketHeartbeats(settings: Settings): Promise<Figure[]> {
  // Not fewer: each device may send 300 messages in 30 s.
  const fleet = await startFleet(Math.max(MIN_DEVICES, settings.count(DEVICES)), writeSamples);
  const bare = await startBareServer('echo');
  const storing = await startBareServer('echo', 'stored');
  try {
    const tokens = inRandomOrder(fleet.devices).map(({ token }) => token);
    const connect = async (url: string) => (await connectDevices(url, tokens)).sockets;
    const toBare = { pid: bare.pid, sockets: await connect(bare.url), isAnswer: () => true };
    const toStoring = { pid: storing.pid, sockets: await connect(storing.url), isAnswer: () => true };
    const toOurs = {
      pid: fleet.cloud.pid,
      sockets: await connect(fleet.cloud.url),
      isAnswer: isAcknowledgement,
    };
    await sendFirstHeartbeats(toOurs.sockets);
    for (const target of [toBare, toStoring, toOurs]) {
      await runSocketHeartbeats(target, { ms: settings.ms * WARM_UP, atOnce: AT_ONCE });
    }
    const ms = settings.ms * PART;
    const cpuMicrosOf = async (target: SocketTarget) =>
      (await runSocketHeartbeats(target, { ms, atOnce: AT_ONCE })).cpuMicrosEach;
    const paced = { perSecond: FLEET_PER_SECOND, ms };
    const rounds = [];
    for (let round = 0; round < settings.rounds(ROUNDS); round++) {
      rounds.push({
        bare: await cpuMicrosOf(toBare),
        storing: await cpuMicrosOf(toStoring),
        ours: await cpuMicrosOf(toOurs),
        pacedBare: await runPacedSocketHeartbeats(toBare, paced),
        pacedOurs: await runPacedSocketHeartbeats(toOurs, paced),
      });
    }
    const ours = median(rounds.map((round) => round.ours));
    return [
      {
        name: 'heartbeat over the socket, server CPU',
        ours,
        unit: 'µs',
        limit: { name: 'bare ws', value: median(rounds.map((round) => round.bare)) },
        goal: 2.5,
      },
      {
        name: '… beside one that stores them',
        ours,
        unit: 'µs',
        limit: { name: 'ws and raw SQLite', value: median(rounds.map((round) => round.storing)) },
        goal: null,
      },
      {
        name: '… at the rate of 100,000 screens',
        ours: median(rounds.map((round) => round.pacedOurs)),
        unit: 'µs',
        limit: { name: 'bare ws', value: median(rounds.map((round) => round.pacedBare)) },
        goal: 2.5,
      },
    ];
  } finally {
    bare.stop();
    storing.stop();
    await fleet.stop();
  }
}
