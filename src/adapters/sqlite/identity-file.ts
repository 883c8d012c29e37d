import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../core/error-details.ts';
import type { Log } from '../../core/ports.ts';
import type { Identity } from '../../core/pairing/pairing-session.ts';
import { syncFolderSync, writeDurablySync } from '../files/durable-file.ts';
import { toDatabaseFault } from './open-database.ts';

const identities = z.record(z.string(), z.object({ deviceId: z.string(), deviceToken: z.string() }));

/**
 * A second copy of the device's identity, by server: when the database is damaged, the device need not be paired
 * again. Readable by its owner only and replaced atomically, so that a power cut leaves the old or the new file.
 * Writing throws `Fault` `disk.full`, `disk.readonly` or `data.unwritable`.
 */
export function createIdentityFile(deps: { file: string; log: Log }) {
  const { file, log } = deps;

  const readAll = (): Record<string, Identity> => {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') {
        log.warn({ file, error: String(error) }, 'identity.read_failed');
      }
      return {};
    }
    try {
      return identities.parse(JSON.parse(text));
    } catch (error) {
      log.warn({ file, error: String(error) }, 'identity.read_failed');
      return {};
    }
  };

  const writeAll = (all: Record<string, Identity>) => {
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
    read: (server: string): Identity | null => readAll()[server] ?? null,
    write(server: string, identity: Identity): void {
      writeAll({ ...readAll(), [server]: identity });
    },
    erase(server: string): void {
      const { [server]: gone, ...rest } = readAll();
      if (gone) {
        writeAll(rest);
      }
    },
  };
}
