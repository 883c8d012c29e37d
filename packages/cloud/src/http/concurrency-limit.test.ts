import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createConcurrencyLimit } from './concurrency-limit.ts';

const callerOf = (id: string, socket = new Socket()) => ({
  actor: { type: 'api_key' as const, id, name: id, scope: 'Read' as const, stores: null, session: null },
  request: { raw: { socket } },
});

test('each key has its own limit of concurrent requests', async () => {
  const limit = createConcurrencyLimit(2, 'reports');
  const slots = [limit.acquire(callerOf('key_a')), limit.acquire(callerOf('key_a'))];
  expect(() => limit.acquire(callerOf('key_a'))).toThrow('This key already has 2 reports running');
  await expect(limit.run(callerOf('key_a'), async () => 1)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
  });
  expect(await limit.run(callerOf('key_b'), async () => 2)).toBe(2);
  slots[0]?.release();
  slots[0]?.release();
  await expect(
    limit.run(callerOf('key_a'), async () => {
      throw new Error('broken');
    }),
  ).rejects.toThrow('broken');
  expect(await limit.run(callerOf('key_a'), async () => 3)).toBe(3);
});

test('the work is aborted when the connection closes', async () => {
  const limit = createConcurrencyLimit(1, 'reports');
  const socket = new Socket();
  const { signal } = limit.acquire(callerOf('key_a', socket));
  expect(signal.aborted).toBe(false);
  socket.emit('close', false);
  expect(signal.aborted).toBe(true);
  expect(limit.acquire(callerOf('key_b', new Socket().destroy())).signal.aborted).toBe(true);
});
