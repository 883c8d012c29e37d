import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import { CLOUD_MAIN } from '../../test/support/command-line.ts';
import { createFilledDataFolder } from '../../test/support/filled-data-folder.ts';
import { createCopy } from '../../test/support/postgres-databases.ts';
import { S3_CREDENTIALS, startS3Server } from '../../test/support/s3-server.ts';
import type { S3Server } from '../../test/support/s3-server.ts';

const FILES = 10;
/** In this database: other tests use the same server. */
const WAITING =
  "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/** The command as an operator starts it, with the password in the environment. */
function startMove(dataDir: string, to: string, { settings }: S3Server) {
  const { bucket, prefix, endpoint } = settings;
  const location = ['--blobs', `s3://${bucket}/${prefix}`, '--s3-endpoint', endpoint, '--s3-path-style'];
  const child = spawn(process.execPath, [CLOUD_MAIN, 'move', '--data', dataDir, ...location], {
    env: { ...process.env, ...S3_CREDENTIALS, PLACARD_DATABASE: to, NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => (output.stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (output.stderr += bytes.toString()));
  return { child, output, closed: once(child, 'close') };
}

test('a move that is killed at any moment continues, and ends complete and equal', async () => {
  const dataDir = join(tempDir(), 'data');
  await createFilledDataFolder(dataDir, { devices: 50, plays: 3500, mediaFiles: FILES, bytesPerFile: 3000 });
  const to = await createCopy(inject('postgres')!, onTestFinished);
  const s3 = await startS3Server(tempDir());
  onTestFinished(() => s3.stop());
  const other = new Client(to);
  await other.connect();
  onTestFinished(() => other.end());
  const query = async (text: string): Promise<Record<string, unknown>[]> => (await other.query(text)).rows;

  // While the sixth file is sent.
  const first = startMove(dataDir, to, s3);
  let files = 0;
  s3.intercept((request, _response, url) => {
    if (request.method === 'PUT' && /\/[0-9a-f]{64}\//.test(url.pathname)) {
      files += 1;
      if (files === 6) {
        first.child.kill('SIGKILL');
      }
    }
    // Not answered any more.
    return files >= 6;
  });
  await first.closed;
  s3.intercept(null);
  expect(await query('select 1 from organization'), first.output.stderr).toEqual([]);

  /** Starts it, kills it when it waits for the transaction of `statement`, and ends that. */
  const killWhileBlockedBy = async (statement: string) => {
    await query('begin');
    await query(statement);
    const { child, closed, output } = startMove(dataDir, to, s3);
    await waitUntil(`a move that waits (${statement})`, async () => {
      expect(child.exitCode, output.stderr).toBeNull();
      // A transaction sees the same activity otherwise.
      await query('select pg_stat_clear_snapshot()');
      return (await query(WAITING)).length > 0;
    });
    child.kill('SIGKILL');
    await closed;
    await query('rollback');
    // Its server process learns that it was killed when it goes on.
    await waitUntil('no move that waits', async () => (await query(WAITING)).length === 0);
    return output.stdout;
  };
  // Before the first row of a table.
  expect(await killWhileBlockedBy('lock table devices in exclusive mode')).toMatch(/^Media +10 files/m);
  // Within a batch in the middle of a table: a row that it is about to insert.
  const source = new Sqlite(join(dataDir, 'cloud.sqlite'), { readonly: true });
  onTestFinished(() => void source.close());
  const play = source
    .prepare<[], { device_id: string; id: string }>(
      'select device_id, id from plays order by device_id, id limit 1 offset 2500',
    )
    .get();
  await killWhileBlockedBy(`insert into plays values ('${play?.id}', '${play?.device_id}', 'a', null, null, null,
    1, 1, 1, 'completed', null, 1)`);
  expect(await query('select count(*) from plays')).toEqual([{ count: '2000' }]);
  // After the last row.
  expect(await killWhileBlockedBy('lock table organization in access exclusive mode')).toMatch(
    /^Rows +\d+, [1-9]\d* of them copied now/m,
  );
  // At the end, after everything was compared.
  expect(await killWhileBlockedBy('lock table unfinished_move in row share mode')).toMatch(
    /^Rows +\d+, 0 of them copied now[^]*^Equal +\d+ rows in \d+ tables and 10 media files/m,
  );

  const last = startMove(dataDir, to, s3);
  expect(await last.closed).toEqual([0, null]);
  expect(last.output.stderr).toBe('');
  expect(last.output.stdout).toMatch(
    /^Rows +\d+, 0 of them copied now[^]*^Equal .* and 10 media files[^]*^Done/m,
  );
  expect(await query("select to_regclass('unfinished_move') as found")).toEqual([{ found: null }]);
  expect(await query('select count(*) from plays')).toEqual([{ count: '3500' }]);
  const hashes = (await s3.keys()).flatMap((key) => /\/([0-9a-f]{64})\//.exec(key)?.[1] ?? []);
  expect(new Set(hashes).size).toBe(FILES);
});
