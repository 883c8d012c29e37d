import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { createApiClient } from './support/client.ts';
import { insertDevice } from './support/insert-device.ts';
import { killableProgram } from './support/killable-program.ts';

// The program starts four times.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const ADMIN_KEY = 'key-of-the-operations-01';
const DEVICES = 600;
const data = join(tempDir(afterAll), 'data');
const program = killableProgram(data, () => ({ PLACARD_ADMIN_KEY: ADMIN_KEY }));
const admin = createApiClient({ url: program.url, secret: ADMIN_KEY, beforeRequest: () => {} });

beforeAll(async () => {
  await program.start();
  await program.kill();
  const db = await openDatabase(data);
  await db.transaction().execute(async (trx) => {
    for (let n = 0; n < DEVICES; n++) {
      await insertDevice(trx, `dev_${n}`);
    }
  });
  await db.destroy();
  await program.start();
});
afterAll(program.kill);

test('an operation whose cloud is killed again and again does each device exactly once', async () => {
  const operation = (
    await admin.post('/v1/operations', {
      devices: { filter: {} },
      action: { type: 'command', command: 'REFRESH' },
    })
  ).data.id;
  const file = new Sqlite(join(data, 'cloud.sqlite'), { readonly: true });
  // Read from the file: the API has a rate limit.
  const done = () =>
    file.prepare<[], number>('select succeeded + failed from bulk_operations').pluck().get() ?? 0;
  let kills = 0;
  for (let reached = 0; done() < DEVICES && kills < 2; kills++) {
    await waitUntil('more devices to be done', () => done() > reached);
    reached = done();
    await program.kill();
    await program.start();
  }
  await waitUntil('all devices to be done', () => done() === DEVICES);
  expect(kills).toBe(2);
  await eventually(async () =>
    expect((await admin.get(`/v1/operations/${operation}`)).data).toMatchObject({
      status: 'finished',
      total: DEVICES,
      succeeded: DEVICES,
    }),
  );
  const count = (query: string) => file.prepare<[], number>(query).pluck().get();
  expect(count('select count(*) from commands')).toBe(DEVICES);
  expect(count('select count(distinct device_id) from commands')).toBe(DEVICES);
  expect(count("select count(*) from events where type = 'command.created'")).toBe(DEVICES);
  expect(count("select count(*) from events where type = 'operation.finished'")).toBe(1);
  expect(count("select count(*) from audit_log where action = 'device.command_sent'")).toBe(DEVICES);
  file.close();
});
