import type { FastifyInstance } from 'fastify';
import type { ZoneTableCache } from '../domain/zone-table.ts';
import type { Bucket } from '../blob/s3/bucket.ts';
import type { DiskMonitor } from '../disk/disk-monitor.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';

export interface HealthCheckDeps {
  database: Pick<CloudDatabase, 'ping'>;
  disk: Pick<DiskMonitor, 'status'>;
  zones: Pick<ZoneTableCache, 'version'>;
  /** Null if the media files are on the disk. */
  bucket: Pick<Bucket, 'failure'> | null;
  /** The cloud is about to stop. */
  isDraining: () => boolean;
}

/**
 * `/healthz`: the process responds. `/readyz`: it should get requests, as the database works; reports free disk space and
 * the media store. A node is ready without that: screens play on and report, and no other node could do more.
 */
export function addHealthChecks(
  app: FastifyInstance,
  { database, disk, bucket, zones, isDraining }: HealthCheckDeps,
): void {
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const isDatabaseUp = await database.ping().catch(() => false);
    const { state, freeBytes, minFreeBytes, reserveBytes, targetReserveBytes } = disk.status();
    const isReady = isDatabaseUp && state !== 'full' && !isDraining();
    return reply.code(isReady ? 200 : 503).send({
      status: isReady ? 'ready' : isDraining() ? 'draining' : 'unavailable',
      database: isDatabaseUp ? 'ok' : 'unavailable',
      time_zone_data: zones.version,
      ...(bucket ? { media_store: mediaStoreState(bucket.failure()) } : {}),
      disk: {
        state,
        message: DISK_MESSAGES[state],
        free_bytes: freeBytes,
        floor_bytes: minFreeBytes,
        reserve_bytes: reserveBytes,
        reserve_wanted_bytes: targetReserveBytes,
      },
    });
  });
}

/** Why it fails is in the log: this page is public. */
const mediaStoreState = (failure: string | null) =>
  failure === null
    ? { state: 'ok', message: 'The latest request succeeded.' }
    : {
        state: 'unavailable',
        message: 'Uploads and downloads fail. The log says why: media_store.unavailable.',
      };

const DISK_MESSAGES = {
  ok: 'There is enough free space.',
  low: 'Uploads are rejected below floor_bytes. Delete content or free disk space.',
  full: 'Only reading and deleting are possible. Delete content or free disk space.',
};
