/**
 * Server CPU of a heartbeat, beside a bare `node:http` server that parses the same bytes, and one that also stores
 * them. `npm run bench:heartbeats`.
 */
import { heartbeatRequest } from '@placard/protocol';
import { playerOperations } from '@placard/protocol/api';
import { median } from '../median.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { inRandomOrder, writeSamples } from './fleet-history.ts';
import { startFleet } from './fleet.ts';
import { runLoad, runPacedLoad } from './load.ts';
import type { LoadedServer } from './load.ts';
import { FLEET_PER_SECOND } from './pace.ts';
import { startBareServer } from './servers.ts';

const DEVICES = 20_000;
const ROUNDS = 12;
/** Of the usual duration: many short rounds, because the speed of a shared machine changes within seconds. */
const PART = 1 / 3;
/** Times the usual duration: most of the code is compiled then. In the first seconds the compiler takes up to a fifth of the time. */
const WARM_UP = 2;
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
    const ms = settings.ms * PART;
    const load = { connections: CONNECTIONS, ms, next };
    // The first heartbeat of a device also reads its token, and what its revision is derived from.
    await runLoad(fleet.cloud, { ...load, ms: Infinity, count: devices.length });
    for (const server of [bare, storing, fleet.cloud]) {
      await runLoad(server, { ...load, ms: settings.ms * WARM_UP });
    }
    const paced = { perSecond: FLEET_PER_SECOND, connections: PACED_CONNECTIONS, ms, next };
    const rounds = [];
    const measure = async (server: LoadedServer) => (await runLoad(server, load)).cpuMicrosEach;
    for (let round = 0; round < settings.rounds(ROUNDS); round++) {
      rounds.push({
        bare: await measure(bare),
        storing: await measure(storing),
        ours: await measure(fleet.cloud),
        pacedBare: await runPacedLoad(bare, paced),
        pacedOurs: await runPacedLoad(fleet.cloud, paced),
      });
    }
    const ours = median(rounds.map((round) => round.ours));
    return [
      {
        name: 'heartbeat over HTTP, server CPU',
        ours,
        unit: 'µs',
        limit: { name: 'bare node:http', value: median(rounds.map((round) => round.bare)) },
        goal: 2.5,
      },
      {
        name: '… beside one that stores them',
        ours,
        unit: 'µs',
        limit: {
          name: 'node:http and raw SQLite',
          value: median(rounds.map((round) => round.storing)),
        },
        goal: null,
      },
      {
        name: '… at the rate of 100,000 screens',
        ours: median(rounds.map((round) => round.pacedOurs)),
        unit: 'µs',
        limit: { name: 'bare node:http', value: median(rounds.map((round) => round.pacedBare)) },
        goal: 2.5,
      },
    ];
  } finally {
    bare.stop();
    storing.stop();
    await fleet.stop();
  }
}
