/**
 * Heartbeats over HTTP and over sockets to three nodes on PostgreSQL, beside one client that executes the same statements
 * in batches of the same size. `npm run bench:scale`.
 */
import { heartbeatRequest } from '@placard/protocol';
import { playerOperations } from '@placard/protocol/api';
import type { Db } from '../../../packages/cloud/src/database/db.ts';
import { recordOrdinaryHeartbeats } from '../../../packages/cloud/src/database/postgres/ordinary-heartbeats.ts';
import { connectDevices } from '../cloud/connect-devices.ts';
import { runLoad } from '../cloud/load.ts';
import { isAcknowledgement, runSocketHeartbeats, sendFirstHeartbeats } from '../cloud/socket-load.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { compareWithClient } from './compare-client.ts';
import { runOnNodes } from './run-nodes.ts';
import { ofNode, startScaleFleet } from './scale-fleet.ts';
import type { ScaleFleet } from './scale-fleet.ts';
import { runSingleClient } from './single-client.ts';

const DEVICES = 20_000;
/** Each device may send 300 messages in 30 s. */
const MIN_DEVICES = 1_500;
const SOCKETS = 6_000;
const ROUNDS = 3;
/** To each node: with three of them more than the heartbeats of two transactions. */
const AT_ONCE = 256;

const {
  samples: [sample],
  state,
} = heartbeatRequest.parse(playerOperations.sendHeartbeats.example.body);
const makeHeartbeat = () => ({ samples: [{ ...sample!, measured_at: new Date().toISOString() }], state });

/** Heartbeats of the devices in turn. */
function createSender({ nodes, devices }: ScaleFleet) {
  let turn = 0;
  const next = () => ({
    method: 'POST' as const,
    path: '/v1/player/heartbeats',
    token: devices[turn++ % devices.length]!.token,
    body: JSON.stringify(makeHeartbeat()),
  });
  return async (index: number, load: { ms: number; count?: number }) =>
    (await runLoad(nodes[index]!, { connections: AT_ONCE, next, ...load })).requests;
}

/** What a node does with heartbeats that arrived together. */
function createRecorder({ devices }: ScaleFleet) {
  let turn = 0;
  return (trx: Db, size: number) => {
    const nowMs = Date.now();
    const arrived = Array.from({ length: size }, () => ({
      deviceId: devices[turn++ % devices.length]!.id,
      request: makeHeartbeat(),
      nowMs,
      maxNewSamples: 1,
      newEventId: null,
    }));
    return recordOrdinaryHeartbeats(trx, arrived);
  };
}

export async function measureScaleHeartbeats(settings: Settings): Promise<Figure[]> {
  const fleet = await startScaleFleet(Math.max(MIN_DEVICES, settings.count(DEVICES)));
  try {
    const { nodes, devices, databaseUrl } = fleet;
    const { ms } = settings;
    const send = createSender(fleet);
    const record = createRecorder(fleet);
    // The first heartbeat of a device at a node reads what its revision is derived from.
    for (const index of nodes.keys()) {
      await send(index, { ms: Infinity, count: devices.length });
    }
    const tokens = devices.slice(0, Math.max(MIN_DEVICES, settings.count(SOCKETS))).map(({ token }) => token);
    const connected = await Promise.all(
      nodes.map(({ url }, index) => connectDevices(url, ofNode(fleet, index, tokens), { hello: true })),
    );
    await Promise.all(connected.map(({ sockets }) => sendFirstHeartbeats(sockets)));
    const sendOnSockets = async (index: number) => {
      const target = { pid: nodes[index]!.pid, ...connected[index]!, isAnswer: isAcknowledgement };
      return (await runSocketHeartbeats(target, { ms, atOnce: AT_ONCE })).requests;
    };

    const rounds = [];
    for (let round = 0; round < settings.rounds(ROUNDS); round++) {
      const http = await runOnNodes(fleet, 'samples', (index) => send(index, { ms }));
      const sockets = await runOnNodes(fleet, 'samples', sendOnSockets);
      rounds.push({
        http,
        httpClient: await runSingleClient(databaseUrl, { ms, size: Math.round(http.batch), record }),
        sockets,
        socketsClient: await runSingleClient(databaseUrl, { ms, size: Math.round(sockets.batch), record }),
      });
    }
    connected.forEach((each) => each.close());
    return [
      ...compareWithClient(
        'heartbeats over HTTP',
        rounds.map(({ http }) => http),
        rounds.map(({ httpClient }) => httpClient),
      ),
      ...compareWithClient(
        'heartbeats over sockets',
        rounds.map(({ sockets }) => sockets),
        rounds.map(({ socketsClient }) => socketsClient),
      ),
    ];
  } finally {
    await fleet.stop();
  }
}
