import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../../../test/support/command-line.ts';
import { startPostgres } from '../../../test/support/postgres-server.ts';
import type { OwnPostgresServer } from '../../../test/support/postgres-server.ts';
import { tempDir } from '../../../../../test/support/temp-dir.ts';
import { openPostgres, openPostgresForReading } from '../open-postgres.ts';
import { checkSettings } from './check-settings.ts';

/** Of its own: some settings are those of a whole server. */
let server: OwnPostgresServer;
beforeAll(async () => {
  server = await startPostgres(['fsync=on', 'full_page_writes=on']);
  await (await openPostgres(server.url)).destroy();
});
afterAll(() => server.stop());

async function readProblems(): Promise<string[]> {
  const db = await openPostgresForReading(server.url);
  try {
    return (await checkSettings(db)).problems;
  } finally {
    await db.destroy();
  }
}

async function change(...statements: string[]): Promise<void> {
  const db = await openPostgres(server.url);
  try {
    for (const statement of statements) {
      await sql.raw(statement).execute(db);
    }
  } finally {
    await db.destroy();
  }
}

test('settings with which data is lost, or a cloud fails, are named', async () => {
  expect(await readProblems()).toEqual([]);
  await change(
    'alter database postgres set synchronous_commit = off',
    "alter database postgres set default_transaction_isolation = 'serializable'",
  );
  expect(await readProblems()).toEqual([
    expect.stringMatching(/After a crash .*set synchronous_commit to on\.$/),
    'Set default_transaction_isolation to read committed; it is serializable.',
  ]);
  await change('alter database postgres reset all');
});

test('doctor says them, and that there are none', async () => {
  const doctor = () => runCommand('doctor', '--min-free', '0', '--data', tempDir(), '--database', server.url);
  const healthy = await doctor();
  expect(healthy).toMatchObject({ code: 0, stderr: '' });
  expect(healthy.stdout).toMatch(/^ok +settings +PostgreSQL \d+.* keeps .* allows 197 connections/m);
  await change('alter database postgres set synchronous_commit = off');
  expect(await doctor()).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^BAD +settings +After a crash/m),
  });
  const nowhere = `${tempDir()}/nowhere`;
  const result = await runCommand('doctor', '--data', nowhere, '--database', server.url);
  expect(result).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/BAD +disk +The data folder .* does not exist/),
  });
  await change('alter database postgres reset all');
});
