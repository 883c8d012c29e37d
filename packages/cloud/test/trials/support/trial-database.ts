import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { startPostgres } from '../../support/postgres-server.ts';

let server: Promise<{ url: string }> | undefined;

/**
 * With `PLACARD_TEST_DATABASE=postgres` the URL of the database of the cloud with this data folder, which is made if it is not
 * there; otherwise undefined, for SQLite in the folder. The server is that of `PLACARD_TEST_POSTGRES`, or one that ends with this
 * process.
 */
export async function trialDatabase(dataDir: string): Promise<string | undefined> {
  if (process.env['PLACARD_TEST_DATABASE'] !== 'postgres') {
    return undefined;
  }
  const given = process.env['PLACARD_TEST_POSTGRES'];
  server ??= given === undefined || given === '' ? startPostgres() : Promise.resolve({ url: given });
  const url = new URL((await server).url);
  const name = `placard_trial_${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;
  const admin = new Client(url.href);
  await admin.connect();
  try {
    const { rowCount } = await admin.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      await admin.query(`create database "${name}" template template0 encoding 'UTF8'`);
    }
  } finally {
    await admin.end();
  }
  url.pathname = name;
  return url.href;
}
