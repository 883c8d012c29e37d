/**
 * Server CPU of a heartbeat over the socket of a device, beside a bare `ws` server that returns the same bytes, and one
 * that also stores them.
 * `npm run bench:socket-heartbeats`.
 */
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { connectDevices } from './connect-devices.ts';
import { inRandomOrder, writeSamples } from './fleet-history.ts';
import { startFleet } from './fleet.ts';
import { measureHeartbeatRounds } from './heartbeat-rounds.ts';
import { FLEET_PER_SECOND } from './pace.ts';
import { startBareServer } from './servers.ts';
import {
  isAcknowledgement,
  runPacedSocketHeartbeats,
  runSocketHeartbeats,
  sendFirstHeartbeats,
} from './socket-load.ts';

const DEVICES = 5_000;
const MIN_DEVICES = 500;
/** Sockets that wait for an answer at the same time: more than the heartbeats of one transaction. */
const AT_ONCE = 512;

export async function measureSocketHeartbeats(settings: Settings): Promise<Figure[]> {
  // Not fewer: each device may send 300 messages in 30 s.
  const fleet = await startFleet(Math.max(MIN_DEVICES, settings.count(DEVICES)), writeSamples);
  const bare = await startBareServer('echo');
  const storing = await startBareServer('echo', 'stored');
  try {
    const tokens = inRandomOrder(fleet.devices).map(({ token }) => token);
    const connect = async (
      { url, pid }: { url: string; pid: number },
      isAnswer: (text: string) => boolean,
    ) => ({
      pid,
      sockets: (await connectDevices(url, tokens)).sockets,
      isAnswer,
    });
    const servers = {
      bare: await connect(bare, () => true),
      storing: await connect(storing, () => true),
      ours: await connect(fleet.cloud, isAcknowledgement),
    };
    await sendFirstHeartbeats(servers.ours.sockets);
    return await measureHeartbeatRounds(settings, {
      way: 'over the socket',
      names: { bare: 'bare ws', storing: 'ws and raw SQLite' },
      servers,
      atFullSpeed: async (target, ms) =>
        (await runSocketHeartbeats(target, { ms, atOnce: AT_ONCE })).cpuMicrosEach,
      paced: (target, ms) => runPacedSocketHeartbeats(target, { perSecond: FLEET_PER_SECOND, ms }),
    });
  } finally {
    bare.stop();
    storing.stop();
    await fleet.stop();
  }
}
