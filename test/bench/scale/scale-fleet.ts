import { Client } from 'pg';
import { sql } from 'kysely';
import { openPostgres } from '../../../packages/cloud/src/database/open-postgres.ts';
import { startNodeCluster } from '../../../packages/cloud/test/trials/support/nodes/node-cluster.ts';
import { fillDatabase } from '../cloud/fill-database.ts';
import type { FilledDatabase } from '../cloud/fill-database.ts';
import type { BenchCloud } from '../cloud/servers.ts';

/** A cloud of several nodes on PostgreSQL. */
export interface ScaleFleet extends FilledDatabase {
  nodes: readonly BenchCloud[];
  databaseUrl: string;
  /** A connection to the database, for what the server tells about itself. */
  client: Client;
  stop(): Promise<void>;
}

/** As an operator needs it, its data survives a crash of the machine. The extension counts statements. */
const POSTGRES_SETTINGS = ['fsync=on', 'full_page_writes=on', 'shared_preload_libraries=pg_stat_statements'];

/** Starts three nodes on a PostgreSQL server of their own, and writes this many paired devices into its database. */
export async function startScaleFleet(count: number): Promise<ScaleFleet> {
  const cluster = await startNodeCluster({ nodes: 3, postgresSettings: POSTGRES_SETTINGS });
  const { nodes, databaseUrl } = cluster;
  const client = new Client(databaseUrl);
  const stop = async () => {
    await client.end();
    await cluster.stop();
  };
  try {
    await client.connect();
    const filled = await fillPostgres(databaseUrl, count);
    return { ...filled, nodes, databaseUrl, client, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function fillPostgres(url: string, count: number): Promise<FilledDatabase> {
  const db = await openPostgres(url);
  try {
    const filled = await fillDatabase(db, { count });
    // As the server does by itself after a while.
    await sql`vacuum analyze`.execute(db);
    await sql`create extension pg_stat_statements`.execute(db);
    return filled;
  } finally {
    await db.destroy();
  }
}

/** Divides items among the nodes in turn. */
export const ofNode = <T>({ nodes }: Pick<ScaleFleet, 'nodes'>, index: number, items: readonly T[]): T[] =>
  items.filter((_, item) => item % nodes.length === index);
