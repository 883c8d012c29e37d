import { expect, test } from 'vitest';
import type { MenuRequest } from '@placard/protocol/stage';
import { createMenuClient } from './menu-client.ts';

test('matches responses to requests in any order', async () => {
  const sent: { id: string; request: MenuRequest }[] = [];
  const client = createMenuClient({
    send(message) {
      sent.push(message);
      return true;
    },
  });
  const results = [client.request({ kind: 'close' }), client.request({ kind: 'unlock', pin: '4711' })];
  for (const { id, request } of sent.toReversed()) {
    client.handleResponse(id, request.kind === 'unlock' ? { kind: 'unlocked' } : { kind: 'done' });
  }
  expect(await Promise.all(results)).toEqual([{ kind: 'done' }, { kind: 'unlocked' }]);
});

test('resolves with no response at once when the runtime is not connected', async () => {
  const client = createMenuClient({ send: () => false });
  expect(await client.request({ kind: 'open' })).toEqual({ kind: 'no_response' });
});
