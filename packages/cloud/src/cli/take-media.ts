import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { makeId } from '@placard/protocol';
import { openBlobStore } from '../blob/open-blob-store.ts';
import type { OpenBlobStore } from '../blob/open-blob-store.ts';
import type { S3Settings } from '../blob/s3/s3-settings.ts';
import { auditRepository } from '../database/audit-log.ts';
import type { Db } from '../database/db.ts';
import { describeDatabase, requireDatabase } from '../database/maintenance.ts';
import { organizationRepository } from '../database/organization.ts';
import { lockDataFolder } from '../disk/data-folder-lock.ts';
import { errorMessage } from '../domain/error-details.ts';
import { StartupError } from '../domain/startup-error.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import { systemClock } from '../system-clock.ts';
import { commandLineActor } from './actor.ts';
import { inCloudDatabase } from './cloud-database.ts';

export interface MediaPlaces {
  dataDir: string;
  /** The URL of a database on PostgreSQL; by default it is in the data folder. */
  database: string | undefined;
  /** By default the data folder. */
  s3: S3Settings | undefined;
}

/** Makes a media store that of this database; the next start writes its id there. The data folder must not be in use. */
export async function takeMedia({
  dataDir,
  database,
  s3,
}: MediaPlaces): Promise<{ location: string; place: string }> {
  if (database === undefined) {
    requireDatabase(dataDir);
  } else {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  }
  const place = describeDatabase(dataDir, database);
  let store: OpenBlobStore | null = null;
  const lock = lockDataFolder(dataDir);
  try {
    store = await openBlobStore(join(dataDir, 'blobs'), { s3, clock: systemClock });
    const { location } = store.ownerFile;
    await inCloudDatabase({ data: dataDir, database }, { migrates: true }, (trx) =>
      recordTaking(trx, { location, place }),
    );
    // Last: whoever is interrupted before is refused, and runs the command again.
    await store.ownerFile.delete();
    return { location, place };
  } catch (error) {
    throw storageFailureOf(error) === 'media_store' ? new StartupError(errorMessage(error), error) : error;
  } finally {
    store?.bucket?.close();
    lock.release();
  }
}

async function recordTaking(
  trx: Db,
  { location, place }: { location: string; place: string },
): Promise<void> {
  const organization = organizationRepository(trx);
  if (!(await organization.find())) {
    throw new StartupError(`The database ${place} has no organization yet. Check --database and --data.`);
  }
  await organization.setMediaId(randomUUID());
  const nowMs = systemClock.nowMs();
  await auditRepository(trx).append({
    id: makeId('audit', nowMs, randomBytes(16)),
    created_at: nowMs,
    ...commandLineActor(),
    action: 'cloud.media_taken',
    resource_type: 'cloud',
    resource_id: 'cloud',
    resource_name: null,
    changes: [{ field: 'media', before: null, after: location, truncated: false }],
  });
}
