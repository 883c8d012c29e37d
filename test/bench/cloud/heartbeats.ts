/**
 * Server CPU of a heartbeat, beside a bare `node:http` server that parses the same bytes, and one that also stores
 * them. `npm run bench:heartbeats`.
 */
import { heartbeatRequest } from '@placard/protocol';
import { playerOperations } from '@placard/protocol/api';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { inRandomOrder, writeSamples } from './fleet-history.ts';
import { startFleet } from './fleet.ts';
import { measureHeartbeatRounds } from './heartbeat-rounds.ts';
import { runLoad, runPacedLoad } from './load.ts';
import type { LoadedServer } from './load.ts';
import { FLEET_PER_SECOND } from './pace.ts';
import { startBareServer } from './servers.ts';

const DEVICES = 20_000;
/** More than the heartbeats of one transaction. */
const CONNECTIONS = 512;
/** Enough for that rate: answers wait for a commit, which is made every 40 ms. */
const PACED_CONNECTIONS = 128;

export async function measureHeartbeats(settings: Settings): Promise<Figure[]> {
  const {
    samples: [sample],
    state,
  } = heartbeatRequest.parse(playerOperations.sendHeartbeats.example.body);
  const fleet = await startFleet(settings.count(DEVICES), writeSamples);
  const devices = inRandomOrder(fleet.devices);
  const bare = await startBareServer('http');
  const storing = await startBareServer('http', 'stored');
  try {
    let turn = 0;
    const next = () => {
      const { token } = devices[turn++ % devices.length]!;
      const samples = [{ ...sample, measured_at: new Date().toISOString() }];
      return {
        method: 'POST' as const,
        path: '/v1/player/heartbeats',
        token,
        body: JSON.stringify({ samples, state }),
      };
    };
    // The first heartbeat of a device also reads its token, and what its revision is derived from.
    await runLoad(fleet.cloud, { connections: CONNECTIONS, ms: Infinity, count: devices.length, next });
    return await measureHeartbeatRounds<LoadedServer>(settings, {
      way: 'over HTTP',
      names: { bare: 'bare node:http', storing: 'node:http and raw SQLite' },
      servers: { bare, storing, ours: fleet.cloud },
      atFullSpeed: async (server, ms) =>
        (await runLoad(server, { connections: CONNECTIONS, ms, next })).cpuMicrosEach,
      paced: (server, ms) =>
        runPacedLoad(server, { perSecond: FLEET_PER_SECOND, connections: PACED_CONNECTIONS, ms, next }),
    });
  } finally {
    bare.stop();
    storing.stop();
    await fleet.stop();
  }
}
