import { expect, test } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { openTestDatabase } from '../../test/support/open-test-database.ts';
import type { NewRow } from '../database/schema.ts';
import { expireCommands } from './expire-commands.ts';

const clock = createManualClock(1000);

const command = (id: string, expires_at: number): NewRow<'commands'> => ({
  id,
  device_id: 'dev_1',
  command: 'REFRESH',
  status: 'queued',
  created_at: 0,
  expires_at,
  delivered_at: null,
  acknowledged_at: null,
  finished_at: null,
  result: null,
});

test('commands expire in transactions of a hundred', async () => {
  const database = await openTestDatabase({ clock });
  for (let i = 0; i < 250; i++) {
    await database.commands.insert(command(`cmd_${i}`, 500));
  }
  await database.commands.insert(command('later', 1001));

  const notifiedPerTransaction: number[] = [];
  const transaction: typeof database.transaction = (run, how) => {
    notifiedPerTransaction.push(0);
    return database.transaction(run, how);
  };
  const recordCommandEvent = () => {
    notifiedPerTransaction[notifiedPerTransaction.length - 1] = (notifiedPerTransaction.at(-1) ?? 0) + 1;
  };
  await expireCommands({ database: { ...database, transaction }, clock, recordCommandEvent });
  expect(notifiedPerTransaction).toEqual([100, 100, 50]);
  expect(await database.commands.find('later')).toMatchObject({ status: 'queued' });
  expect(await database.commands.find('cmd_249')).toMatchObject({ status: 'expired', finished_at: 1000 });
});
