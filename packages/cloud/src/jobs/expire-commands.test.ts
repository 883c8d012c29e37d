import { expect, test } from 'vitest';
import { openTestStore } from '../../test/support/open-store.ts';
import type { NewRow } from '../store/schema.ts';
import { expireCommands } from './expire-commands.ts';

const clock = { nowMs: () => 1000, setTimer: () => () => {} };

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

test('commands that expire at the same moment do so a hundred at a time', async () => {
  const store = await openTestStore(1000);
  for (let i = 0; i < 250; i++) await store.commands.insert(command(`cmd_${i}`, 500));
  await store.commands.insert(command('later', 1001));

  const told: number[] = [];
  const transaction: typeof store.transaction = (run, how) => {
    told.push(0);
    return store.transaction(run, how);
  };
  const notifyFinished = async () => {
    told[told.length - 1] = (told.at(-1) ?? 0) + 1;
  };
  await expireCommands({ store: { ...store, transaction }, clock, notifyFinished });
  expect(told).toEqual([100, 100, 50]);
  expect(await store.commands.find('later')).toMatchObject({ status: 'queued' });
  expect(await store.commands.find('cmd_249')).toMatchObject({ status: 'expired', finished_at: 1000 });
});
