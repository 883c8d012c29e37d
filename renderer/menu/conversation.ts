import type { FromStage, MenuAnswer, MenuRequest } from '../../src/stage-link/messages.ts';

/** `no_answer`: the runtime is away, or took too long. */
export type Reply = MenuAnswer | { kind: 'no_answer' };

export interface Conversation {
  /** Never rejects. */
  ask: (request: MenuRequest) => Promise<Reply>;
  answered: (id: string, answer: MenuAnswer) => void;
}

/** A network test waits for name servers, and a USB stick is slow. */
const PATIENCE_MS = 45_000;

/** Pairs the answers of the runtime with what was asked. */
export function createConversation(deps: {
  /** False when there is nobody to send it to. */
  send(message: Extract<FromStage, { type: 'menu_request' }>): boolean;
}): Conversation {
  const waiting = new Map<string, (reply: Reply) => void>();
  let count = 0;
  return {
    ask(request) {
      count += 1;
      const id = String(count);
      return new Promise((resolve) => {
        const patience = setTimeout(() => {
          waiting.delete(id);
          resolve({ kind: 'no_answer' });
        }, PATIENCE_MS);
        waiting.set(id, (reply) => {
          clearTimeout(patience);
          waiting.delete(id);
          resolve(reply);
        });
        const sent = deps.send({ type: 'menu_request', id, request });
        if (!sent) waiting.get(id)?.({ kind: 'no_answer' });
      });
    },
    answered: (id, answer) => waiting.get(id)?.(answer),
  };
}
