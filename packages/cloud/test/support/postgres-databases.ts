import { Client } from 'pg';
import { openPostgres } from '../../src/database/open-postgres.ts';
import type { PostgresDb } from '../../src/database/postgres/postgres-storage.ts';

/** Creates a database that is a copy of another; it is dropped at the end. Returns its URL. */
export async function createCopy(
  { url, template }: { url: string; template: string },
  onFinished: (drop: () => Promise<void>) => void,
): Promise<string> {
  const name = `placard_test_${crypto.randomUUID()}`;
  const admin = new Client(url);
  await admin.connect();
  onFinished(async () => {
    await admin.query(`drop database if exists "${name}" with (force)`);
    await admin.end();
  });
  await admin.query(`create database "${name}" template "${template}"`);
  const copy = new URL(url);
  copy.pathname = name;
  return copy.href;
}

/** Opens an empty database with all migrations; it is gone at the end. */
export async function openPostgresTestDb(
  server: { url: string; template: string },
  onFinished: (close: () => Promise<void>) => void,
): Promise<PostgresDb> {
  const db = await openPostgres(await createCopy(server, onFinished));
  onFinished(() => db.destroy());
  return db;
}
