import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { blobPath } from '../blob/blob-files.ts';
import { formatBytes } from '../domain/disk-state.ts';
import { errorMessage } from '../domain/error-details.ts';
import { StartupError } from '../domain/startup-error.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import { copyDatabase, DATABASE_FILE, inspectDatabase, removeDatabase } from '../database/maintenance.ts';
import { TAR_END, TAR_FILE_LIMIT, tarHeader, tarPadding } from './tar.ts';

const MAX_ATTEMPTS = 3;

export interface BackupContent {
  /** Otherwise only the database. */
  withMedia: boolean;
  /** The URL of a database on PostgreSQL. */
  database?: string | undefined;
}

/** Writes the database and media files of a cloud, which may be running, into one file, of the same format for both engines. */
export async function backup(
  dataDir: string,
  file: string,
  { withMedia, database }: BackupContent,
): Promise<{ files: number; bytes: number }> {
  if (existsSync(file)) {
    throw new StartupError(`${file} already exists. Choose another name for the backup.`);
  }
  const databaseCopy = `${file}.sqlite.part`;
  const partialFile = `${file}.part`;
  try {
    for (let attempt = 1; ; attempt++) {
      await removeDatabase(databaseCopy);
      // Created first with restricted permissions, so that others cannot read it while it grows.
      await writeFile(databaseCopy, '', { mode: 0o600 });
      await (database === undefined
        ? copyDatabase(dataDir, databaseCopy)
        : copyPostgres(database, databaseCopy));
      const referenced = withMedia ? inspectDatabase(databaseCopy).blobs : [];
      const blobs = [...new Set(referenced.map((blob) => blob.sha256))];
      const paths = new Map(
        blobs.map((sha256) => [
          `blobs/${sha256.slice(0, 2)}/${sha256}`,
          blobPath(join(dataDir, 'blobs'), sha256),
        ]),
      );
      const missing = [...paths.values()].filter((path) => !existsSync(path));
      if (missing.length === 0) {
        // The database comes last: an interrupted restore leaves no partial cloud that would start.
        return await writeArchive(partialFile, file, [...paths, [DATABASE_FILE, databaseCopy]]);
      }
      // A blob may have been deleted since the copy; repeated misses mean damage.
      if (attempt === MAX_ATTEMPTS) {
        throw new StartupError(
          `${missing.length} media files are missing, the first is ${missing[0]}. If they are in S3, add --blobs; otherwise run doctor to see what is damaged.`,
        );
      }
    }
  } catch (error) {
    throw describeFailure(error, file);
  } finally {
    await removeDatabase(databaseCopy);
    await rm(partialFile, { force: true });
  }
}

/** The client of PostgreSQL is loaded only where it is used. */
async function copyPostgres(url: string, to: string): Promise<void> {
  const { copyToSqlite } = await import('../move/copy-to-sqlite.ts');
  await copyToSqlite(url, to);
}

function describeFailure(error: unknown, file: string): StartupError {
  if (error instanceof StartupError) {
    return error;
  }
  if (storageFailureOf(error) === 'full') {
    const advice = 'Free disk space, or write it to another disk; it takes twice the size of the database.';
    return new StartupError(`The disk has too little space for the backup ${file}. ${advice}`, error);
  }
  return new StartupError(
    `The backup was interrupted: ${errorMessage(error)}. No file was written; start it again.`,
    error,
  );
}

function requireFit(name: string, size: number): void {
  if (size >= TAR_FILE_LIMIT) {
    throw new StartupError(
      `${name} has ${formatBytes(size)}, and a file in a backup has at most ${formatBytes(TAR_FILE_LIMIT)}. ` +
        'Copy the data folder of a stopped cloud instead, or use the tools of PostgreSQL and S3.',
    );
  }
}

async function writeArchive(partialFile: string, file: string, entries: [name: string, path: string][]) {
  let bytes = 0;
  async function* archive(): AsyncGenerator<Buffer> {
    for (const [name, path] of entries) {
      const { size } = await stat(path);
      requireFit(name, size);
      bytes += size;
      yield tarHeader({ name, size });
      yield* createReadStream(path, { highWaterMark: 1_048_576 });
      yield tarPadding(size);
    }
    yield TAR_END;
  }
  await pipeline(
    Readable.from(archive(), { objectMode: false }),
    createWriteStream(partialFile, { flush: true, mode: 0o600 }),
  );
  await rename(partialFile, file);
  const folder = await open(dirname(file), 'r');
  await folder.sync();
  await folder.close();
  return { files: entries.length, bytes };
}
