import { randomBytes, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeId } from '@placard/protocol';
import { systemClock } from '../system-clock.ts';
import { openBlobStore } from '../blob/open-blob-store.ts';
import type { OpenBlobStore } from '../blob/open-blob-store.ts';
import type { OwnerFile } from '../blob/owner-file.ts';
import type { S3Settings } from '../blob/s3/s3-settings.ts';
import { errorMessage } from '../domain/error-details.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import { StartupError } from '../domain/startup-error.ts';
import type { NewAuditEntry } from '../database/audit-log.ts';
import { DATABASE_FILE, inspectDatabase, recordRestore, removeDatabase } from '../database/maintenance.ts';
import { lockDataFolder } from '../disk/data-folder-lock.ts';
import type { DataFolderLock } from '../disk/data-folder-lock.ts';
import type { MoveTarget } from '../move/move-target.ts';
import { commandLineActor } from './actor.ts';
import { readTar } from './tar.ts';

const BLOB_NAME = /^blobs\/[0-9a-f]{2}\/([0-9a-f]{64})$/;

export interface RestorePlaces {
  dataDir: string;
  /** By default the data folder. */
  s3: S3Settings | undefined;
  /** The URL of an empty database on PostgreSQL; by default the data folder. */
  database: string | undefined;
  /** Whether the media store may be that of another cloud, which then no longer deletes files there. */
  takeMedia: boolean;
  /** Takes what the operator is to read, line by line. */
  report: (line: string) => void;
}

/** Restores a backup. Every media file is verified against its hash, and stored where the settings say. */
export async function restore(
  file: string,
  { dataDir, s3, database, takeMedia, report }: RestorePlaces,
): Promise<{ files: number }> {
  if (!existsSync(file)) {
    throw new StartupError(`The file ${file} does not exist. Name the backup to restore.`);
  }
  if (database === undefined && existsSync(join(dataDir, DATABASE_FILE))) {
    throw new StartupError(
      `${dataDir} already contains a cloud, which was not changed. Choose an empty folder with --data.`,
    );
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const partialFile = join(dataDir, `${DATABASE_FILE}.part`);
  let files = 0;
  let hasDatabase = false;
  let store: OpenBlobStore | null = null;
  let lock: DataFolderLock | null = null;
  let target: MoveTarget | null = null;
  try {
    // A cloud that runs in the folder would delete the files as unused.
    lock = lockDataFolder(dataDir);
    target = database === undefined ? null : await openTarget(database);
    await target?.requireNoCloud();
    store = await openBlobStore(join(dataDir, 'blobs'), { s3, clock: systemClock });
    const { blobs, ownerFile } = store;
    await (takeMedia ? ownerFile.delete() : requireNoOwner(ownerFile));
    for await (const entry of readTar(createReadStream(file, { highWaterMark: 1_048_576 }))) {
      const sha256 = BLOB_NAME.exec(entry.name)?.[1];
      const bytes = Readable.from(entry.bytes, { objectMode: false });
      if (sha256 !== undefined) {
        const received = await blobs.receive(bytes, entry.size);
        if (received === 'too_large' || received.sha256 !== sha256) {
          throw new StartupError(`The backup is damaged: ${entry.name} does not match its hash.`);
        }
        await received.save();
        await received.release();
      } else if (entry.name === DATABASE_FILE) {
        await pipeline(bytes, createWriteStream(partialFile, { flush: true, mode: 0o600 }));
        hasDatabase = true;
      } else {
        throw new StartupError(`${file} is not a backup of this program: it contains ${entry.name}.`);
      }
      files++;
    }
    if (!hasDatabase) {
      throw new StartupError(`The backup ${file} contains no database.`);
    }
    const { problems } = inspectDatabase(partialFile);
    if (problems.length > 0) {
      throw new StartupError(`The database in the backup is damaged: ${problems.join('; ')}.`);
    }
    const nowMs = systemClock.nowMs();
    const entry: NewAuditEntry = {
      id: makeId('audit', nowMs, randomBytes(16)),
      created_at: nowMs,
      ...commandLineActor(),
      action: 'cloud.restored',
      resource_type: 'cloud',
      resource_id: 'cloud',
      resource_name: null,
      changes: [{ field: 'backup', before: null, after: basename(file), truncated: false }],
    };
    // Not that of the backup: the cloud that made it may still run.
    const mediaId = randomUUID();
    if (target) {
      const { restoreToPostgres } = await import('../move/restore-to-postgres.ts');
      await restoreToPostgres({
        file: partialFile,
        target,
        entry,
        mediaId,
        clock: systemClock,
        report,
      });
    } else {
      recordRestore(partialFile, entry, mediaId);
      await rename(partialFile, join(dataDir, DATABASE_FILE));
    }
    return { files };
  } catch (error) {
    if (error instanceof StartupError) {
      throw error;
    }
    if (storageFailureOf(error) === 'full') {
      throw new StartupError(
        `The disk of ${dataDir} has too little space for this backup. Free disk space, then try again.`,
        error,
      );
    }
    if (storageFailureOf(error) === 'media_store') {
      throw new StartupError(errorMessage(error), error);
    }
    throw new StartupError(`The backup ${file} cannot be read: ${errorMessage(error)}.`, error);
  } finally {
    await removeDatabase(partialFile);
    store?.bucket?.close();
    await target?.close();
    lock?.release();
  }
}

async function requireNoOwner(ownerFile: OwnerFile): Promise<void> {
  const owner = await ownerFile.read();
  if (owner) {
    throw new StartupError(
      `The media files in ${ownerFile.location} belong to ${JSON.stringify(owner.organization)}, and are used by the cloud from ` +
        'which this backup comes or by another one. Nothing was restored. Name another place with --blobs or --data. If no ' +
        'other cloud uses these files any more, add --take-media.',
    );
  }
}

/** The client of PostgreSQL is loaded only where it is used. */
async function openTarget(url: string): Promise<MoveTarget> {
  return (await import('../move/move-target.ts')).openTarget(url);
}
