import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { errorCode } from '../../core/error-details.ts';
import type { Log } from '../../core/ports.ts';
import { writeDurablySync } from '../files/durable-file.ts';
import { toDatabaseFault } from './open-database.ts';

const secrets = z.record(z.string(), z.string().min(32).max(200));

/**
 * The secret by which each server recognizes this screen before it is paired. Stored beside the identity and not in
 * the database, so that it survives a damaged one; no server receives the secret of another. Writing throws `Fault`
 * `disk.full`, `disk.readonly` or `data.unwritable`.
 */
export function createScreenSecretFile({ file, log }: { file: string; log: Log }) {
  const readAll = (): Record<string, string> => {
    try {
      return secrets.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') {
        log.warn({ file, error: String(error) }, 'screen_secret.read_failed');
      }
      return {};
    }
  };
  return {
    read: (server: string): string | null => readAll()[server] ?? null,
    write(server: string, secret: string): void {
      try {
        writeDurablySync(file, JSON.stringify({ ...readAll(), [server]: secret }, null, 2));
      } catch (error) {
        throw toDatabaseFault(error, file);
      }
    },
  };
}
