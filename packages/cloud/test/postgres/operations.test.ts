import { startCloud } from '@placard/cloud';
import { expect, inject, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { openPostgres } from '../../src/database/open-postgres.ts';
import { createApiClient } from '../support/client.ts';
import { insertDevice } from '../support/insert-device.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { createCopy } from '../support/postgres-databases.ts';
import { startTestBucket } from '../support/test-bucket.ts';
import { ADMIN_KEY } from '../support/test-cloud.ts';

const DEVICES = 40;

test('one node works on an operation; when it goes, another one does the devices that are left, each once', async () => {
  const database = await createCopy(inject('postgres')!, onTestFinished);
  const { settings: s3 } = await startTestBucket();
  const clock = createManualClock();
  const start = () =>
    startCloud({
      host: '127.0.0.1',
      port: 0,
      dataDir: tempDir(),
      database,
      s3,
      adminKey: ADMIN_KEY,
      publicUrl: 'http://signage.test',
      logLevel: 'fatal',
      minFreeBytes: 0,
      reserveBytes: 0,
      clock,
    });
  // The first is the leader.
  const nodes = [await start(), await start()];
  const [leader, other] = nodes;
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close()))));
  const db = await openPostgres(database);
  onTestFinished(() => db.destroy());
  for (let n = 0; n < DEVICES; n++) {
    await insertDevice(db, `dev_${n}`);
  }
  const admin = createApiClient({
    url: () => other!.url,
    secret: ADMIN_KEY,
    beforeRequest: () => clock.advance(2500),
  });
  const operation = await admin.post('/v1/operations', {
    devices: { filter: {} },
    action: { type: 'command', command: 'REFRESH' },
  });
  const read = async () => (await admin.get(`/v1/operations/${operation.data.id}`)).data;
  await eventually(async () => expect((await read()).succeeded).toBeGreaterThan(0), 60_000);
  await leader!.close();
  expect((await read()).status, 'there is something left to do').toBe('running');
  await eventually(
    async () =>
      expect(await read()).toMatchObject({ status: 'finished', total: DEVICES, succeeded: DEVICES }),
    120_000,
  );
  const commands = await db.selectFrom('commands').select('device_id').execute();
  expect([commands.length, new Set(commands.map((each) => each.device_id)).size]).toEqual([DEVICES, DEVICES]);
}, 240_000);
