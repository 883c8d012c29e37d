import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createLongWork } from './long-work.ts';

const asker = (id: string, socket = new Socket()) => ({
  key: { id, name: id, scope: 'Read' as const },
  request: { raw: { socket } },
});

test('a key may have so much of it at a time, whatever others have', async () => {
  const work = createLongWork(2, 'reports');
  const begun = [work.begin(asker('key_a')), work.begin(asker('key_a'))];
  expect(() => work.begin(asker('key_a'))).toThrow('This key has 2 reports under way');
  await expect(work.run(asker('key_a'), async () => 1)).rejects.toMatchObject({ refusal: 'RATE_LIMITED' });
  expect(await work.run(asker('key_b'), async () => 2)).toBe(2);
  begun[0]?.end();
  begun[0]?.end();
  await expect(
    work.run(asker('key_a'), async () => {
      throw new Error('broken');
    }),
  ).rejects.toThrow('broken');
  expect(await work.run(asker('key_a'), async () => 3)).toBe(3);
});

test('it is aborted when the connection is gone', async () => {
  const work = createLongWork(1, 'reports');
  const socket = new Socket();
  const { signal } = work.begin(asker('key_a', socket));
  expect(signal.aborted).toBe(false);
  socket.emit('close', false);
  expect(signal.aborted).toBe(true);
  expect(work.begin(asker('key_b', new Socket().destroy())).signal.aborted).toBe(true);
});
