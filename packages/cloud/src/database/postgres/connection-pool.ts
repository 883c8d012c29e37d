import type { PostgresPool, PostgresPoolClient } from 'kysely';
import { DatabaseError, Pool } from 'pg';
import type { PoolConfig } from 'pg';
import type { ConnectionCounts } from '../storage.ts';
import { errorMessage } from '../../domain/error-details.ts';
import { databaseUnavailableError, storageFailureOf } from '../../domain/storage-failure.ts';

export interface ConnectionPoolDeps {
  config: PoolConfig;
  /** Called with the reason when the database no longer answers, and with null when it does again. */
  onChange: (failure: string | null) => void;
}

/**
 * Connections to PostgreSQL, for Kysely. The loss of one, or of the server, is an error that `storageFailureOf` recognizes, of
 * whoever needs it; the next one opens another. None of it ends the process.
 */
export function createConnectionPool({
  config,
  onChange,
}: ConnectionPoolDeps): PostgresPool & { counts: () => ConnectionCounts } {
  const pool = new Pool(config);
  let isFailing = false;

  const translate = (error: unknown): unknown => {
    const isLost = !(error instanceof DatabaseError) && !(error instanceof TypeError);
    const translated = isLost ? databaseUnavailableError(errorMessage(error), error) : error;
    if (storageFailureOf(translated) === 'database_unavailable' && !isFailing) {
      isFailing = true;
      onChange(errorMessage(error));
    }
    return translated;
  };
  const recordSuccess = (): void => {
    if (isFailing) {
      isFailing = false;
      onChange(null);
    }
  };

  // Without a listener an error would end the process: the pool has one for connections that are not in use.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));

  return {
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw translate(error);
      });
      /** Why the connection must not be used again. */
      let lostWith: unknown = null;
      const connection: unknown = {
        async query(text: string, values: unknown[] = []) {
          if (lostWith !== null) {
            // It may still wait for an answer, for which the end of a transaction would wait as well.
            throw databaseUnavailableError(errorMessage(lostWith), lostWith);
          }
          try {
            const result = await client.query(text, values);
            recordSuccess();
            return result;
          } catch (error) {
            const translated = translate(error);
            if (storageFailureOf(translated) === 'database_unavailable') {
              lostWith = translated;
            }
            throw translated;
          }
        },
        release: () => client.release(lostWith !== null),
      };
      // Kysely can also read with cursors, which nothing here does.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return connection as PostgresPoolClient;
    },
    end: () => pool.end(),
    counts: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
  };
}
