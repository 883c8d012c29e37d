import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { blobPath, hashFile, sizeOfFile } from '../blob/blob-files.ts';
import type { S3Settings } from '../blob/s3/s3-settings.ts';
import { describeLocation } from '../blob/s3/s3-settings.ts';
import { bucketOwnerFile, diskOwnerFile } from '../blob/owner-file.ts';
import type { DatabaseReport, ReferencedBlob } from '../database/maintenance.ts';
import { errorCode, errorMessage } from '../domain/error-details.ts';
import { compareOwners, describeConflict, isConflict } from '../domain/media-owner.ts';
import type { MediaOwner } from '../domain/media-owner.ts';
import { StartupError } from '../domain/startup-error.ts';
import { ignoreStorageFailure } from '../domain/storage-failure.ts';
import { failed, passed } from './finding.ts';
import type { Finding } from './finding.ts';

/** What a media store has: the bytes of every stored blob by hash, and whose they are. */
interface StoredMedia {
  sizes: ReadonlyMap<string, number>;
  location: string;
  owner: MediaOwner | null;
}

export interface CheckedPlaces {
  dataDir: string;
  s3: S3Settings | undefined;
  /** The database, for messages. */
  place: string;
}

/** Compares the media files with the database: on the disk with their hashes, in a bucket only their sizes. */
export async function checkBlobs(
  { blobs: referenced, mediaOwner }: Pick<DatabaseReport, 'blobs' | 'mediaOwner'>,
  { dataDir, s3, place }: CheckedPlaces,
): Promise<Finding[]> {
  let media: StoredMedia;
  try {
    media = s3 ? await readBucket(s3) : await readDisk(dataDir);
  } catch (error) {
    if (!(error instanceof StartupError)) {
      ignoreStorageFailure(error);
    }
    return [failed('media', errorMessage(error))];
  }
  const ownership = compareOwners(mediaOwner, media.owner);
  if (isConflict(ownership)) {
    const { location, owner: stored } = media;
    return [failed('media', describeConflict(ownership, { database: place, location, stored }))];
  }
  const stored = media.sizes;
  const findings: Finding[] = [];
  const kept = referenced.filter(({ isSent, sha256 }) => !isSent || stored.has(sha256));
  const referencedByHash = new Map(kept.map((blob) => [blob.sha256, blob]));
  for (const { sha256, size, asset, isThumbnail, isSent } of referencedByHash.values()) {
    const advice = isSent
      ? `It is ${asset}; ask the device for another one.`
      : `Upload ${JSON.stringify(asset)} again${isThumbnail ? ' to recreate its thumbnail' : ''}; the new file replaces this one.`;
    const found = stored.get(sha256);
    if (found === undefined) {
      findings.push(failed('media', `The file ${sha256} is missing. ${advice}`));
    } else if (size !== null && found !== size) {
      findings.push(failed('media', `The file ${sha256} has ${found} bytes instead of ${size}. ${advice}`));
    } else if (!s3 && (await isDamaged(blobPath(join(dataDir, 'blobs'), sha256), { sha256, isSent }))) {
      findings.push(failed('media', `The file ${sha256} is damaged. ${advice}`));
    }
  }
  if (findings.length > 0) {
    return findings;
  }
  const unusedCount = [...stored.keys()].filter((sha256) => !referencedByHash.has(sha256)).length;
  const more = unusedCount > 0 ? ` ${unusedCount} more are unused; the running cloud will delete them.` : '';
  const state = s3 ? `are in ${describeLocation(s3)} with the right size` : 'are intact';
  return [passed('media', `All ${referencedByHash.size} media files ${state}.${more}`)];
}

async function isDamaged(path: string, { sha256, isSent }: Pick<ReferencedBlob, 'sha256' | 'isSent'>) {
  try {
    return (await hashFile(path)) !== sha256;
  } catch (error) {
    // A running cloud has deleted it meanwhile.
    if (isSent && errorCode(error) === 'ENOENT') {
      return false;
    }
    throw error;
  }
}

async function readDisk(dataDir: string): Promise<StoredMedia> {
  const dir = join(dataDir, 'blobs');
  const folders = existsSync(dir) ? (await readdir(dir)).filter((name) => /^[0-9a-f]{2}$/.test(name)) : [];
  const sizes = new Map<string, number>();
  for (const folder of folders) {
    for (const name of await readdir(join(dir, folder))) {
      // A running cloud may delete unused files meanwhile.
      const size = await sizeOfFile(join(dir, folder, name));
      if (size !== null) {
        sizes.set(name, size);
      }
    }
  }
  const ownerFile = diskOwnerFile(dir);
  return { sizes, location: ownerFile.location, owner: await ownerFile.read() };
}

async function readBucket(s3: S3Settings): Promise<StoredMedia> {
  const [{ openBucket }, { listGroups }] = await Promise.all([
    import('../blob/s3/bucket.ts'),
    import('../blob/s3/object-groups.ts'),
  ]);
  const bucket = await openBucket(s3);
  try {
    const sizes = new Map<string, number>();
    for await (const { sha256, versions } of listGroups(bucket, '')) {
      const current = versions.at(-1);
      if (current) {
        sizes.set(sha256, current.size);
      }
    }
    const ownerFile = bucketOwnerFile(bucket);
    return { sizes, location: ownerFile.location, owner: await ownerFile.read() };
  } finally {
    bucket.close();
  }
}
