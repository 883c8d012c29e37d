import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { startFault } from '../domain/start-fault.ts';
import { copyDatabase, DATABASE_FILE, inspectDatabase } from '../store/maintenance.ts';
import { TAR_END, tarHeader, tarPadding } from './tar.ts';

const TRIES = 3;

/** Writes database and media of a cloud, which may be running, into one file. */
export async function backup(dataDir: string, file: string): Promise<{ files: number; bytes: number }> {
  if (existsSync(file)) throw startFault(`${file} exists already. Choose another name for the backup.`);
  const copy = `${file}.sqlite.part`;
  const part = `${file}.part`;
  try {
    for (let attempt = 1; ; attempt++) {
      await rm(copy, { force: true });
      // Made first, so that nobody else may read it while it grows.
      await writeFile(copy, '', { mode: 0o600 });
      await copyDatabase(dataDir, copy);
      const blobs = [...new Set(inspectDatabase(copy).blobs.map((blob) => blob.sha256))];
      const paths = new Map(
        blobs.map((sha256) => [
          `blobs/${sha256.slice(0, 2)}/${sha256}`,
          join(dataDir, 'blobs', sha256.slice(0, 2), sha256),
        ]),
      );
      const missing = [...paths.values()].filter((path) => !existsSync(path));
      if (missing.length === 0) {
        // The database goes last: a restore that breaks off leaves no half a cloud that would start.
        return await writeArchive(part, file, [...paths, [DATABASE_FILE, copy]]);
      }
      // A file may have been cleaned up since the copy; that the copy is wrong for long means damage.
      if (attempt === TRIES)
        throw startFault(
          `${missing.length} media files are missing, the first is ${missing[0]}. Run doctor to see what is damaged.`,
        );
    }
  } finally {
    await rm(copy, { force: true });
    await rm(part, { force: true });
  }
}

async function writeArchive(part: string, file: string, entries: [name: string, path: string][]) {
  let bytes = 0;
  async function* archive(): AsyncGenerator<Buffer> {
    for (const [name, path] of entries) {
      const { size } = await stat(path);
      bytes += size;
      yield tarHeader({ name, size });
      yield* createReadStream(path, { highWaterMark: 1_048_576 });
      yield tarPadding(size);
    }
    yield TAR_END;
  }
  await pipeline(
    Readable.from(archive(), { objectMode: false }),
    createWriteStream(part, { flush: true, mode: 0o600 }),
  );
  await rename(part, file);
  const folder = await open(dirname(file), 'r');
  await folder.sync();
  await folder.close();
  return { files: entries.length, bytes };
}
