import type { IdKind } from '@placard/protocol';
import type { Logger } from 'pino';
import type { OpenBlobStore } from './blob/open-blob-store.ts';
import type { CloudOptions } from './config/cloud-options.ts';
import type { CloudDatabase } from './database/cloud-database.ts';
import { describeDatabase } from './database/maintenance.ts';
import { ignoreStorageFailure } from './domain/storage-failure.ts';
import { initializeOrganization } from './initialize-organization.ts';
import type { FirstStart } from './initialize-organization.ts';
import { createMediaOwnership } from './jobs/media-ownership.ts';
import type { MediaOwnership } from './jobs/media-ownership.ts';

export interface StartOrganizationDeps extends Pick<OpenBlobStore, 'blobs' | 'ownerFile'> {
  options: CloudOptions;
  database: CloudDatabase;
  newId: (kind: IdKind) => string;
  nowMs: number;
  log: Logger;
}

/** Creates the organization at the first start, and refuses media files that may be those of another. */
export async function startOrganization({
  options: { dataDir, database: url, s3, adminKey },
  database,
  blobs,
  ownerFile,
  newId,
  nowMs,
  log,
}: StartOrganizationDeps): Promise<FirstStart & { mediaOwnership: MediaOwnership }> {
  const mediaOwnership = createMediaOwnership({
    database,
    blobs,
    ownerFile,
    place: describeDatabase(dataDir, url),
    isSeparate: s3 !== undefined || url !== undefined,
    log,
  });
  // While the media store cannot be reached, the job that deletes files asks later.
  if (!(await database.organization.find())) {
    // Now, because after a refused start nobody would know the first Admin key.
    await mediaOwnership.check().catch(ignoreStorageFailure);
  }
  const first = await initializeOrganization(database, adminKey, newId, nowMs);
  await mediaOwnership.requireOwn().catch(ignoreStorageFailure);
  return { ...first, mediaOwnership };
}
