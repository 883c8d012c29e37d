import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client, DatabaseError } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openPostgres } from '../../src/database/open-postgres.ts';
import { createCopy } from '../support/postgres-databases.ts';

/**
 * What the program sent to PostgreSQL when its last migration was this: each statement once, with the shortest parameters, recorded
 * while the tests of the API ran on three nodes. The first is when nodes first shared a database; left out of it: deletes
 * by place from tables that have partitions since (ADR 0030).
 */
const BASELINES = ['0018', '0036'] as const;
const statementsOf = (baseline: string): { text: string; values: unknown[] }[] =>
  readFileSync(join(import.meta.dirname, `statements-of-${baseline}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
/** The database is empty, so rows that others refer to are missing. */
const FOREIGN_KEY_VIOLATION = '23503';

const createDatabase = () => createCopy(inject('postgres')!, onTestFinished);

/** Which of the statements of a program fail on the database after the change. */
async function failuresAfter(change: string, baseline: string): Promise<string[]> {
  const client = new Client(await createDatabase());
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(change);
  const failures: string[] = [];
  for (const { text, values } of statementsOf(baseline)) {
    await client.query('begin');
    try {
      await client.query(text, values);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== FOREIGN_KEY_VIOLATION) {
        failures.push(`${String(error)} in: ${text}`);
      }
    }
    await client.query('rollback');
  }
  return failures;
}

test.each(BASELINES)(
  'the statements of the program of %s work on the database of this one',
  async (baseline) => {
    expect(statementsOf(baseline).length).toBeGreaterThan(300);
    expect(await failuresAfter('', baseline)).toEqual([]);
  },
);

test.each([
  'alter table devices drop column name',
  'alter table stores rename to shops',
  'alter table plays add column screen text not null',
  'alter table device_live alter column last_seen type text',
])('statements of programs before fail after: %s', async (change) => {
  expect(await failuresAfter(change, BASELINES[0])).not.toEqual([]);
});

test.each([
  ['9999-expand-colours', 'starts'],
  ['9999-colours', 'is refused'],
])('on a database that a newer program has changed with %s, this one %s', async (name, outcome) => {
  const url = await createDatabase();
  const db = await openPostgres(url);
  onTestFinished(() => db.destroy());
  await sql`insert into kysely_migration (name, timestamp) values (${name}, '2027-01-01')`.execute(db);
  const opened = openPostgres(url).then((again) => again.destroy());
  if (outcome === 'starts') {
    await opened;
    return;
  }
  await expect(opened).rejects.toThrow(
    /written by a newer version .*unknown migrations: 9999-colours.*Start that version/,
  );
});
