import type { IdKind } from '@placard/protocol';
import type { Logger } from 'pino';
import type { BlobStore } from './blob/blob-store.ts';
import type { OwnerFile } from './blob/owner-file.ts';
import type { CloudOptions } from './config/cloud-options.ts';
import type { CloudDatabase } from './database/cloud-database.ts';
import { describeDatabase } from './database/maintenance.ts';
import { ignoreStorageFailure } from './domain/storage-failure.ts';
import { initializeOrganization } from './initialize-organization.ts';
import type { FirstStart } from './initialize-organization.ts';
import { createMediaOwnership } from './jobs/media-ownership.ts';
import type { MediaOwnership } from './jobs/media-ownership.ts';

export interface StartOrganizationDeps {
  options: CloudOptions;
  database: CloudDatabase;
  blobs: Pick<BlobStore, 'list'>;
  ownerFile: OwnerFile;
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
  const isNew = !(await database.organization.find());
  // Before there is a first Admin key, which nobody would know after a refused start.
  const isChecked = isNew && (await didReach(mediaOwnership.check()));
  const first = await initializeOrganization(database, adminKey, newId, nowMs);
  if (!isNew || isChecked) {
    await didReach(mediaOwnership.requireOwn());
  }
  return { ...first, mediaOwnership };
}

/** False if the storage failed; throws what else went wrong. */
async function didReach(use: Promise<void>): Promise<boolean> {
  try {
    await use;
    return true;
  } catch (error) {
    ignoreStorageFailure(error);
    return false;
  }
}
