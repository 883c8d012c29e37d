import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeId } from '@placard/protocol';
import { systemClock } from '../clock.ts';
import { createDiskBlobStore } from '../blob/disk.ts';
import { messageOf } from '../domain/error-facts.ts';
import { storageTroubleOf } from '../domain/storage-trouble.ts';
import { isStartFault, startFault } from '../domain/start-fault.ts';
import { DATABASE_FILE, inspectDatabase, noteRestore } from '../store/maintenance.ts';
import { commandLineActor } from './actor.ts';
import { readTar } from './tar.ts';

const BLOB_NAME = /^blobs\/[0-9a-f]{2}\/([0-9a-f]{64})$/;

/** Makes a data folder from a backup. Every file is checked against its hash before it is taken. */
export async function restore(file: string, dataDir: string): Promise<{ files: number }> {
  if (!existsSync(file)) throw startFault(`There is no file ${file}. Name the backup to restore.`);
  if (existsSync(join(dataDir, DATABASE_FILE)))
    throw startFault(
      `${dataDir} holds a cloud already, which is left as it is. Name an empty folder with --data.`,
    );
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const part = join(dataDir, `${DATABASE_FILE}.part`);
  let files = 0;
  let complete = false;
  try {
    const blobs = await createDiskBlobStore(join(dataDir, 'blobs'), systemClock);
    for await (const entry of readTar(createReadStream(file, { highWaterMark: 1_048_576 }))) {
      const sha256 = BLOB_NAME.exec(entry.name)?.[1];
      const bytes = Readable.from(entry.bytes, { objectMode: false });
      if (sha256 !== undefined) {
        const received = await blobs.receive(bytes, entry.size);
        if (received === 'too_large' || received.sha256 !== sha256)
          throw startFault(`The backup is damaged: ${entry.name} is not what its name says.`);
        await received.keep();
        await received.release();
      } else if (entry.name === DATABASE_FILE) {
        await pipeline(bytes, createWriteStream(part, { flush: true, mode: 0o600 }));
        complete = true;
      } else throw startFault(`${file} is not a backup of this program: it holds ${entry.name}.`);
      files++;
    }
    if (!complete) throw startFault(`The backup ${file} holds no database.`);
    const { problems } = inspectDatabase(part);
    if (problems.length > 0)
      throw startFault(`The database in the backup is damaged: ${problems.join('; ')}.`);
    const nowMs = systemClock.nowMs();
    noteRestore(part, {
      id: makeId('audit', nowMs, randomBytes(16)),
      created_at: nowMs,
      ...commandLineActor(),
      action: 'cloud.restored',
      resource_type: 'cloud',
      resource_id: 'cloud',
      resource_name: null,
      changes: [{ field: 'backup', before: null, after: basename(file), truncated: false }],
    });
    await rename(part, join(dataDir, DATABASE_FILE));
    return { files };
  } catch (error) {
    await rm(part, { force: true });
    if (isStartFault(error)) throw error;
    if (storageTroubleOf(error) === 'full')
      throw startFault(
        `The disk of ${dataDir} has too little room for this backup. Make room on it, then try again.`,
        error,
      );
    throw startFault(`The backup ${file} cannot be read: ${messageOf(error)}.`, error);
  }
}
