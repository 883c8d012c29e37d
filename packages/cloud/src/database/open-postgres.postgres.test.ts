import { sql } from 'kysely';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createCopy } from '../../test/support/postgres-databases.ts';
import { postgres } from './engine/postgres.ts';
import { migrationsOf } from './migrate.ts';
import { openPostgres } from './open-postgres.ts';

const server = inject('postgres')!;
const createDatabase = (template = 'template0') => createCopy({ ...server, template }, onTestFinished);

async function open(url: string) {
  const db = await openPostgres(url);
  onTestFinished(() => db.destroy());
  return db;
}

/** Without this program. */
async function execute(url: string, text: string): Promise<unknown[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('several nodes that start at once make the migrations once', async () => {
  const url = await createDatabase();
  const nodes = await Promise.all([open(url), open(url), open(url), open(url)]);
  for (const db of nodes) {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(migrationsOf(postgres)));
    expect(await db.selectFrom('devices').selectAll().execute()).toEqual([]);
  }
});

test('migrations that fail leave nothing behind, and are made at the next start', async () => {
  const url = await createDatabase();
  // In the way of a late one.
  await execute(url, 'create table samples (id text)');
  await expect(openPostgres(url)).rejects.toThrow('relation "samples" already exists');
  expect(
    await execute(url, "select 1 from information_schema.tables where table_name = 'organization'"),
  ).toEqual([]);
  await execute(url, 'drop table samples');
  const db = await open(url);
  expect(await db.selectFrom('samples').selectAll().execute()).toEqual([]);
});

test('all texts are compared by their bytes, whatever the locale of the database', async () => {
  const db = await open(await createDatabase(server.template));
  const { rows } = await sql<{ collation_name: string; columns: number }>`
    select collation_name, count(*) as columns from information_schema.columns
    where table_schema = 'public' and data_type = 'text' group by 1`.execute(db);
  expect(rows).toEqual([{ collation_name: 'C', columns: expect.any(Number) }]);
});

test('the audit log cannot be truncated', async () => {
  const db = await open(await createDatabase(server.template));
  await expect(sql`truncate audit_log`.execute(db)).rejects.toThrow('the audit log is append-only');
});

const message = async (url: string): Promise<string> =>
  openPostgres(url).then(
    () => 'opened',
    (error: Error) => `${error.name}: ${error.message}`,
  );

test('a database of a newer version is refused, and the message does not contain the password', async () => {
  const url = await createDatabase(server.template);
  await execute(url, "insert into kysely_migration (name, timestamp) values ('9999-later', 'x')");
  const text = await message(url);
  expect(text).toMatch(/^StartupError: .* was written by a newer version of this program .*9999-later/);
  const { password, pathname } = new URL(url);
  expect(text).toContain(pathname);
  expect(text).not.toContain(password);
});

test.each([
  [
    'a server that is not there',
    'postgres://user:secret@127.0.0.1:1/cloud',
    /127\.0\.0\.1:1\/cloud cannot be used/,
  ],
  ['what is no URL', 'postgres://user:sec ret@[', /is not valid\. It must look like postgres:/],
])('%s is named without its password', async (_, url, expected) => {
  const text = await message(url);
  expect(text).toMatch(expected);
  expect(text).toContain('StartupError');
  expect(text).not.toMatch(/sec ?ret/);
});

test('a wrong password is reported without it', async () => {
  const url = new URL(server.url);
  url.password = 'guessed';
  const text = await message(url.href);
  expect(text).toMatch(/cannot be used \(password authentication failed.*Check that/);
  expect(text).not.toContain('guessed');
});

test('a database that cannot store all letters is refused', async () => {
  const url = new URL(server.url);
  url.pathname = `placard_test_${crypto.randomUUID()}`;
  const name = url.pathname.slice(1);
  await execute(
    server.url,
    `create database "${name}" template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'`,
  );
  onTestFinished(async () => void (await execute(server.url, `drop database "${name}" with (force)`)));
  expect(await message(url.href)).toMatch(/stores text as SQL_ASCII\. Create it with:/);
});
