import type { FastifyInstance } from 'fastify';
import type { ZoneTables } from '../../domain/zone-table.ts';
import type { DiskWatch } from '../../store/disk-watch.ts';
import type { Store } from '../../store/store.ts';

export interface ProbeDeps {
  store: Pick<Store, 'ping'>;
  disk: Pick<DiskWatch, 'report'>;
  zones: Pick<ZoneTables, 'version'>;
}

/** `/healthz`: the process answers. `/readyz`: it can also do its work, and how much room the disk has for it. */
export function addProbes(app: FastifyInstance, { store, disk, zones }: ProbeDeps): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const answers = await store.ping().catch(() => false);
    const { state, free, floor, reserve, fullReserve } = disk.report();
    const ready = answers && state !== 'full';
    return reply.code(ready ? 200 : 503).send({
      status: ready ? 'ready' : 'unavailable',
      database: answers ? 'ok' : 'unavailable',
      time_zone_data: zones.version,
      disk: {
        state,
        message: MESSAGES[state],
        free_bytes: free,
        floor_bytes: floor,
        reserve_bytes: reserve,
        reserve_wanted_bytes: fullReserve,
      },
    });
  });
}

const MESSAGES = {
  ok: 'There is room.',
  low: 'Uploads are refused below floor_bytes. Delete content or make room on the disk.',
  full: 'Reading and deleting go on, all else is refused. Delete content or make room on the disk.',
};
