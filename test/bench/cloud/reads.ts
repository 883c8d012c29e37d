/**
 * Server CPU of reads, beside a bare fastify route that answers with as many bytes, and one that also reads the rows.
 * `npm run bench:reads`.
 */
import { median } from '../median.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { measureAsBusy } from './as-busy.ts';
import { startFleet } from './fleet.ts';
import type { Fleet } from './fleet.ts';
import { runLoad } from './load.ts';
import type { BenchRequest, LoadedServer } from './load.ts';
import { startBareServer } from './servers.ts';
import type { BareServer } from './servers.ts';

const DEVICES = 50_000;
const ROUNDS = 3;
const CONNECTIONS = 16;

interface Read {
  name: string;
  /** Of the third figure. */
  besideReading: string;
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
        besideReading: '… beside one that reads it',
        path: (turn) => `/v1/devices/${devices[turn % devices.length]!.id}`,
      })),
      ...(await compareRead(fleet, reading, settings, {
        name: 'GET a list of 100 devices, server CPU',
        besideReading: '… beside one that reads them',
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
  { name, besideReading, path }: Read,
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
    const cpuMicrosOf = async (server: LoadedServer, nextOf: () => BenchRequest, forMs = ms) =>
      (await runLoad(server, { connections: CONNECTIONS, ms: forMs, next: nextOf })).cpuMicrosEach;
    const rounds: { bare: number; reading: number; ours: number; asBusy: number }[] = [];
    for (let round = 0; round < roundsOf(ROUNDS); round++) {
      const bareMicros = await cpuMicrosOf(bare, getRoot);
      const oursMicros = await cpuMicrosOf(cloud, next);
      rounds.push({
        bare: bareMicros,
        reading: await cpuMicrosOf(reading, next),
        ours: oursMicros,
        asBusy: await measureAsBusy(bare, {
          ours: oursMicros,
          bare: bareMicros,
          ms,
          measure: (forMs) => cpuMicrosOf(bare, getRoot, forMs),
        }),
      });
    }
    const medianOf = (which: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[which]));
    const figureBeside = (figureName: string, limitName: string, value: number, goal: number | null) =>
      ({
        name: figureName,
        ours: medianOf('ours'),
        unit: 'µs',
        limit: { name: limitName, value },
        goal,
      }) as const;
    return [
      figureBeside(name, 'bare fastify', medianOf('bare'), 4),
      figureBeside(
        '… beside one that is as busy',
        'bare fastify, less what it computes besides',
        medianOf('asBusy'),
        null,
      ),
      figureBeside(besideReading, 'fastify and raw SQLite', medianOf('reading'), null),
    ];
  } finally {
    bare.stop();
  }
}
