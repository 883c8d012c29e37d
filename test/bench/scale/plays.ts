/**
 * Plays to three nodes on PostgreSQL, beside one client that executes the same statements in batches of the same size.
 * `npm run bench:scale`.
 */
import type { Db } from '../../../packages/cloud/src/database/db.ts';
import { recordOrdinaryPlays } from '../../../packages/cloud/src/database/postgres/ordinary-plays.ts';
import { runLoad } from '../cloud/load.ts';
import { makePlays } from '../cloud/make-plays.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { compareWithClient } from './compare-client.ts';
import { runOnNodes } from './run-nodes.ts';
import { startScaleFleet } from './scale-fleet.ts';
import type { ScaleFleet } from './scale-fleet.ts';
import { runSingleClient } from './single-client.ts';

const DEVICES = 20_000;
const ROUNDS = 3;
/** Plays in a request. */
const REQUEST = 100;
const CONNECTIONS = 32;

/** What a node does with requests that arrived together. */
function createRecorder({ devices }: ScaleFleet) {
  let turn = 0;
  return (trx: Db, size: number) => {
    const nowMs = Date.now();
    const arrived = Array.from({ length: Math.ceil(size / REQUEST) }, () => ({
      deviceId: devices[turn++ % devices.length]!.id,
      plays: makePlays(REQUEST).map((play) => ({
        ...play,
        outcome: 'completed' as const,
        started_at: Date.parse(play.started_at),
        ended_at: Date.parse(play.ended_at),
      })),
      nowMs,
      maxPerDay: 100_000,
      countOf: () => undefined,
    }));
    return recordOrdinaryPlays(trx, arrived);
  };
}

export async function measureScalePlays(settings: Settings): Promise<Figure[]> {
  const fleet = await startScaleFleet(settings.count(DEVICES));
  try {
    const { nodes, devices, databaseUrl } = fleet;
    const { ms } = settings;
    let turn = 0;
    const next = () =>
      ({
        method: 'POST',
        path: '/v1/player/plays',
        token: devices[turn++ % devices.length]!.token,
        body: JSON.stringify({ plays: makePlays(REQUEST) }),
      }) as const;
    const send = async (index: number) =>
      REQUEST * (await runLoad(nodes[index]!, { connections: CONNECTIONS, ms, next })).requests;
    const record = createRecorder(fleet);
    const rounds = [];
    for (let round = 0; round < settings.rounds(ROUNDS); round++) {
      const sent = await runOnNodes(fleet, 'plays', send);
      const size = REQUEST * Math.max(1, Math.round(sent.batch / REQUEST));
      rounds.push({ sent, client: await runSingleClient(databaseUrl, { ms, size, record }) });
    }
    return compareWithClient(
      `plays in requests of ${REQUEST}`,
      rounds.map(({ sent }) => sent),
      rounds.map(({ client }) => client),
    );
  } finally {
    await fleet.stop();
  }
}
