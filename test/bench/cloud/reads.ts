/**
 * Server CPU of reads, beside a bare fastify route that answers with as many bytes, and one that also reads the rows.
 * `npm run bench:reads`.
 */
import { median } from '../median.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { startFleet } from './fleet.ts';
import type { Fleet } from './fleet.ts';
import { runLoad } from './load.ts';
import type { BenchRequest } from './load.ts';
import { startBareServer } from './servers.ts';
import type { BareServer } from './servers.ts';

const DEVICES = 50_000;
const ROUNDS = 3;
const CONNECTIONS = 16;

interface Read {
  name: string;
  /** Of the second figure. */
  beside: string;
  path: (turn: number) => string;
}

const getRoot = () => ({ method: 'GET', path: '/' }) as const;

export async function measureReads(settings: Settings): Promise<Figure[]> {
  const fleet = await startFleet(settings.count(DEVICES));
  const reading = await startBareServer('reads', fleet.dataDir);
  try {
    const { devices } = fleet;
    return [
      ...(await compareRead(fleet, reading, settings, {
        name: 'GET one device, server CPU',
        beside: '… beside one that reads it',
        path: (turn) => `/v1/devices/${devices[turn % devices.length]!.id}`,
      })),
      ...(await compareRead(fleet, reading, settings, {
        name: 'GET a list of 100 devices, server CPU',
        beside: '… beside one that reads them',
        path: () => '/v1/devices?limit=100',
      })),
    ];
  } finally {
    reading.stop();
    await fleet.stop();
  }
}

async function compareRead(
  { cloud, readKeys }: Fleet,
  reading: BareServer,
  { ms, rounds: roundsOf }: Settings,
  { name, beside, path }: Read,
): Promise<Figure[]> {
  let turn = 0;
  const next = (): BenchRequest => ({
    method: 'GET',
    path: path(turn),
    token: readKeys[turn++ % readKeys.length]!,
  });
  // Also warms both up. Of one device, because not all names are equally long.
  const first = { connections: 1, ms: 200, next: () => ({ ...next(), path: path(0) }) };
  const { bytes } = await runLoad(cloud, first);
  const { bytes: bytesRead } = await runLoad(reading, first);
  if (bytesRead !== bytes) {
    throw new Error(`${name}: the bare server answers with ${bytesRead} bytes, the cloud with ${bytes}`);
  }
  const bare = await startBareServer('fastify', String(bytes));
  try {
    const load = { connections: CONNECTIONS, ms };
    const rounds = [];
    for (let round = 0; round < roundsOf(ROUNDS); round++) {
      rounds.push({
        bare: await runLoad(bare, { ...load, next: getRoot }),
        reading: await runLoad(reading, { ...load, next }),
        ours: await runLoad(cloud, { ...load, next }),
      });
    }
    const ours = median(rounds.map((round) => round.ours.cpuMicrosEach));
    const bareMicros = median(rounds.map((round) => round.bare.cpuMicrosEach));
    const readingMicros = median(rounds.map((round) => round.reading.cpuMicrosEach));
    return [
      { name, ours, unit: 'µs', limit: { name: 'bare fastify', value: bareMicros }, goal: 4 },
      {
        name: beside,
        ours,
        unit: 'µs',
        limit: { name: 'fastify and raw SQLite', value: readingMicros },
        goal: null,
      },
    ];
  } finally {
    bare.stop();
  }
}
