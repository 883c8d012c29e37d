import { createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { blobPath, openFile } from '../blob/blob-files.ts';
import { DEFAULT_MIN_FREE_BYTES } from '../domain/disk-state.ts';
import { errorMessage } from '../domain/error-details.ts';
import { StartupError } from '../domain/startup-error.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import {
  copyDatabase,
  DATABASE_FILE,
  forgetSentFiles,
  inspectDatabase,
  removeDatabase,
} from '../database/maintenance.ts';
import type { ReferencedBlob } from '../database/maintenance.ts';
import { TAR_END, tarHeader, tarPadding } from './tar.ts';

const MAX_ATTEMPTS = 3;

export interface BackupContent {
  /** Otherwise only the database. */
  withMedia: boolean;
  /** The URL of a database on PostgreSQL. */
  database?: string | undefined;
  /** Bytes that must stay free on the disk of a data folder that holds the database. */
  minFree?: number;
}

/** Writes the database and media files of a cloud, which may be running, into one file, of the same format for both engines. */
export async function backup(
  dataDir: string,
  file: string,
  { withMedia, database, minFree = DEFAULT_MIN_FREE_BYTES }: BackupContent,
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
        ? copyDatabase(dataDir, databaseCopy, minFree)
        : copyPostgres(database, databaseCopy));
      const media = withMedia ? listMedia(dataDir, inspectDatabase(databaseCopy).blobs) : [];
      const missing = media.filter(({ path, isNeeded }) => isNeeded && !existsSync(path));
      if (missing.length === 0) {
        return await writeArchive(partialFile, file, { media, databaseCopy });
      }
      // A blob may have been deleted since the copy; repeated misses mean damage.
      if (attempt === MAX_ATTEMPTS) {
        throw new StartupError(
          `${missing.length} media files are missing, the first is ${missing[0]?.path}. If they are in S3, add --blobs; otherwise run doctor to see what is damaged.`,
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

interface MediaFile {
  sha256: string;
  path: string;
  /** False for what devices have sent: without its file it is left out. */
  isNeeded: boolean;
}

/** Each file once. */
function listMedia(dataDir: string, referenced: readonly ReferencedBlob[]): MediaFile[] {
  const needed = new Set(referenced.filter(({ isSent }) => !isSent).map(({ sha256 }) => sha256));
  return [...new Set(referenced.map(({ sha256 }) => sha256))].map((sha256) => ({
    sha256,
    path: blobPath(join(dataDir, 'blobs'), sha256),
    isNeeded: needed.has(sha256),
  }));
}

/** Null when the running cloud has deleted it meanwhile. */
const openMedia = ({ path, isNeeded }: MediaFile): Promise<FileHandle | null> =>
  isNeeded ? open(path) : openFile(path);

async function writeArchive(
  partialFile: string,
  file: string,
  { media, databaseCopy }: { media: readonly MediaFile[]; databaseCopy: string },
) {
  let [files, bytes] = [0, 0];
  async function* entry(name: string, opened: FileHandle): AsyncGenerator<Buffer> {
    try {
      const { size } = await opened.stat();
      files += 1;
      bytes += size;
      yield tarHeader({ name, size });
      yield* opened.createReadStream({ highWaterMark: 1_048_576, autoClose: false });
      yield tarPadding(size);
    } finally {
      await opened.close();
    }
  }
  async function* archive(): AsyncGenerator<Buffer> {
    const gone: string[] = [];
    for (const each of media) {
      const opened = await openMedia(each);
      if (opened) {
        yield* entry(`blobs/${each.sha256.slice(0, 2)}/${each.sha256}`, opened);
      } else {
        gone.push(each.sha256);
      }
    }
    if (gone.length > 0) {
      forgetSentFiles(databaseCopy, gone);
    }
    // The database comes last: an interrupted restore leaves no partial cloud that would start.
    yield* entry(DATABASE_FILE, await open(databaseCopy));
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
  return { files, bytes };
}
