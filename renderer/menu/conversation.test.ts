import { expect, it } from 'vitest';
import type { MenuRequest } from '../../src/stage-link/messages.ts';
import { createConversation } from './conversation.ts';

it('pairs the answers with what was asked, in whatever order they come', async () => {
  const asked: { id: string; request: MenuRequest }[] = [];
  const conversation = createConversation({
    send(message) {
      asked.push(message);
      return true;
    },
  });
  const replies = [conversation.ask({ kind: 'close' }), conversation.ask({ kind: 'unlock', pin: '4711' })];
  for (const { id, request } of asked.toReversed())
    conversation.answered(id, request.kind === 'unlock' ? { kind: 'unlocked' } : { kind: 'done' });
  expect(await Promise.all(replies)).toEqual([{ kind: 'done' }, { kind: 'unlocked' }]);
});

it('says at once that there is no answer when there is nobody to ask', async () => {
  const conversation = createConversation({ send: () => false });
  expect(await conversation.ask({ kind: 'open' })).toEqual({ kind: 'no_answer' });
});
