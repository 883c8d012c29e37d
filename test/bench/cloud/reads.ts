/** Server CPU of reads, beside a bare fastify route that answers with as many bytes. `npm run bench:reads`. */
import { median } from '../median.ts';
import type { Figure } from '../figures.ts';
import type { Settings } from '../settings.ts';
import { startFleet } from './fleet.ts';
import { runLoad } from './load.ts';
import type { BenchRequest } from './load.ts';
import { startBareServer } from './servers.ts';

const DEVICES = 50_000;
const ROUNDS = 3;
const CONNECTIONS = 16;

const getRoot = () => ({ method: 'GET', path: '/' }) as const;

export async function measureReads(settings: Settings): Promise<Figure[]> {
  const fleet = await startFleet(settings.count(DEVICES));
  try {
    const { readKeys, devices } = fleet;
    let turn = 0;
    const requests: Record<string, () => BenchRequest> = {
      'GET one device, server CPU': () => ({
        method: 'GET',
        path: `/v1/devices/${devices[turn % devices.length]!.id}`,
        token: readKeys[turn++ % readKeys.length]!,
      }),
      'GET a list of 100 devices, server CPU': () => ({
        method: 'GET',
        path: '/v1/devices?limit=100',
        token: readKeys[turn++ % readKeys.length]!,
      }),
    };
    const figures: Figure[] = [];
    for (const [name, next] of Object.entries(requests)) {
      figures.push(await compareRead(name, fleet.cloud, next, settings));
    }
    return figures;
  } finally {
    await fleet.stop();
  }
}

async function compareRead(
  name: string,
  cloud: { url: string; pid: number },
  next: () => BenchRequest,
  { ms, rounds: roundsOf }: Settings,
): Promise<Figure> {
  const { bytes } = await runLoad(cloud, { connections: 1, ms: 200, next });
  const bare = await startBareServer('fastify', String(bytes));
  try {
    const rounds = [];
    for (let round = 0; round < roundsOf(ROUNDS); round++) {
      rounds.push({
        bare: await runLoad(bare, { connections: CONNECTIONS, ms, next: getRoot }),
        ours: await runLoad(cloud, { connections: CONNECTIONS, ms, next }),
      });
    }
    const value = median(rounds.map((round) => round.bare.cpuMicrosEach));
    const ours = median(rounds.map((round) => round.ours.cpuMicrosEach));
    return { name, ours, unit: 'µs', limit: { name: 'bare fastify', value }, goal: 4 };
  } finally {
    bare.stop();
  }
}
