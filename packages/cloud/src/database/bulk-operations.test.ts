import { expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { bulkOperationRepository } from './bulk-operations.ts';

test('what came of a few devices is stored quickly, however many devices the operation has', async () => {
  const operations = bulkOperationRepository(await openTestDb());
  await operations.insert({
    id: 'op_1',
    action: { type: 'add_tags', tags: ['menu'] },
    filter: null,
    ids: Array.from({ length: 10_000 }, (_, index) => `dev_${index}`),
    actor_type: 'api_key',
    actor_id: 'key_1',
    actor_name: 'Test',
    address: '127.0.0.1',
    request_id: 'r1',
    created_at: 0,
  });
  let row = (await operations.find('op_1'))!;
  const startedUs = process.threadCpuUsage().user;
  for (let turn = 0; turn < 10; turn += 1) {
    const outcomes = (await operations.pending('op_1', 50)).map(({ position }) => ({
      position,
      error: position % 2 === 0 ? null : { code: 'DEVICE_NOT_FOUND', message: 'It does not exist.' },
      command_id: null,
      deployment_id: null,
    }));
    row = await operations.finishDevices(row, outcomes, 1);
  }
  expect((process.threadCpuUsage().user - startedUs) / 1000, 'ms').toBeLessThan(400);
  expect(row).toMatchObject({ total: 10_000, succeeded: 250, failed: 250 });
  expect((await operations.pending('op_1', 1))[0]?.position).toBe(500);
});
