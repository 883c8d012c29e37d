/**
 * What one client of PostgreSQL reaches with the statements of the cloud and nothing around them, as `pgbench` does: one
 * connection, one batch after the other.
 */
import { Kysely, PostgresDialect } from 'kysely';
import { Client, Pool, TypeOverrides, types as pgTypes } from 'pg';
import type { Db } from '../../../packages/cloud/src/database/db.ts';
import type { DatabaseSchema } from '../../../packages/cloud/src/database/schema.ts';
import { readPostgresUse, readUseSince } from './postgres-use.ts';

/** One transaction, as text and parameters. */
type Batch = { sql: string; parameters: readonly unknown[] }[];

export interface ClientResult {
  perSecond: number;
  /** CPU time of the client and of the server for each item, in microseconds. */
  clientMicrosEach: number;
  postgresMicrosEach: number;
}

/** Batches that are recorded before they are executed. */
const RECORDED = 25;

class RolledBack extends Error {}

/**
 * Executes transactions of `size` items for `ms`. `record` is the function of the cloud that records such a batch: it runs
 * in a transaction that is rolled back, and the statements that it has made are what the client executes.
 */
export async function runSingleClient(
  url: string,
  { ms, size, record }: { ms: number; size: number; record: (trx: Db, size: number) => Promise<unknown> },
): Promise<ClientResult> {
  const recorder = createRecorder(url);
  const client = new Client(url);
  await client.connect();
  let [batches, clientMs, clientMicros, postgresMs] = [0, 0, 0, 0];
  try {
    for (let isWarm = false; clientMs < ms; isWarm = true) {
      const recorded: Batch[] = [];
      for (let batch = 0; batch < RECORDED; batch++) {
        recorded.push(await recorder.record((trx) => record(trx, size)));
      }
      const before = await readPostgresUse(client);
      const beganMs = performance.now();
      const began = process.cpuUsage();
      for (const batch of recorded) {
        await execute(client, batch);
      }
      const { user, system } = process.cpuUsage(began);
      const tookMs = performance.now() - beganMs;
      const { cpuMs } = await readUseSince(client, before);
      if (isWarm) {
        batches += recorded.length;
        clientMs += tookMs;
        clientMicros += user + system;
        postgresMs += cpuMs;
      }
    }
  } finally {
    await client.end();
    await recorder.close();
  }
  const items = batches * size;
  return {
    perSecond: (items / clientMs) * 1000,
    clientMicrosEach: clientMicros / items,
    postgresMicrosEach: (1000 * postgresMs) / items,
  };
}

async function execute(client: Client, batch: Batch): Promise<void> {
  await client.query('start transaction isolation level read committed');
  for (const { sql, parameters } of batch) {
    await client.query(sql, [...parameters]);
  }
  await client.query('commit');
}

function createRecorder(url: string) {
  const types = new TypeOverrides();
  for (const type of [pgTypes.builtins.INT8, pgTypes.builtins.NUMERIC]) {
    types.setTypeParser(type, Number);
  }
  let statements: Batch = [];
  const db = new Kysely<DatabaseSchema>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: url, max: 1, types }) }),
    log: ({ query: { sql, parameters } }) => void statements.push({ sql, parameters }),
  });
  return {
    async record(run: (trx: Db) => Promise<unknown>): Promise<Batch> {
      statements = [];
      await db
        .transaction()
        .execute(async (trx) => {
          await run(trx);
          throw new RolledBack();
        })
        .catch((error: unknown) => {
          if (!(error instanceof RolledBack)) {
            throw error;
          }
        });
      return statements;
    },
    close: () => db.destroy(),
  };
}
