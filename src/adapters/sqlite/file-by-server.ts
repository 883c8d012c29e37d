import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../core/error-details.ts';
import { jsonErrorMessage } from '../../core/parse-json.ts';
import type { Log } from '../../core/ports.ts';
import { syncFolderSync, writeDurablySync } from '../files/durable-file.ts';
import { toDatabaseFault } from './open-database.ts';

/**
 * A file with one value for each server, beside the database, so that it survives a damaged one. Readable by its owner
 * only and replaced atomically, so that a power cut leaves the old or the new file. Writing throws `Fault` `disk.full`,
 * `disk.readonly` or `data.unwritable`.
 */
export function createFileByServer<T>(deps: {
  file: string;
  value: z.ZodType<T>;
  /** Logged when the file cannot be read. */
  readFailedEvent: string;
  log: Log;
}) {
  const { file, log } = deps;
  const values = z.record(z.string(), deps.value);

  const readAll = (): Record<string, T> => {
    try {
      return values.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') {
        log.warn({ file, error: jsonErrorMessage(error) }, deps.readFailedEvent);
      }
      return {};
    }
  };

  const writeAll = (all: Record<string, T>) => {
    try {
      if (Object.keys(all).length > 0) {
        writeDurablySync(file, JSON.stringify(all, null, 2));
      } else {
        // A full disk has no room for an empty list, so the file is deleted.
        rmSync(file, { force: true });
        syncFolderSync(dirname(file));
      }
    } catch (error) {
      throw toDatabaseFault(error, file);
    }
  };

  return {
    read: (server: string): T | null => readAll()[server] ?? null,
    write(server: string, value: T): void {
      writeAll({ ...readAll(), [server]: value });
    },
    erase(server: string): void {
      const { [server]: gone, ...rest } = readAll();
      if (gone) {
        writeAll(rest);
      }
    },
  };
}
