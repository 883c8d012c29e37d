import type { FromStageMessage, MenuResponse, MenuRequest } from '@placard/protocol/stage';

/** `no_response`: the runtime is not connected or took too long. */
export type MenuResult = MenuResponse | { kind: 'no_response' };

/** Long, because a network test waits for DNS and writing to a USB stick is slow. */
const RESPONSE_TIMEOUT_MS = 45_000;

/** Sends requests to the runtime and matches its responses by id. */
export function createMenuClient(deps: {
  /** False when the runtime is not connected. */
  send(message: Extract<FromStageMessage, { type: 'menu_request' }>): boolean;
}) {
  const pending = new Map<string, (result: MenuResult) => void>();
  let count = 0;
  return {
    /** Never rejects. */
    request: (request: MenuRequest): Promise<MenuResult> => {
      count += 1;
      const id = String(count);
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          pending.delete(id);
          resolve({ kind: 'no_response' });
        }, RESPONSE_TIMEOUT_MS);
        pending.set(id, (result) => {
          clearTimeout(timer);
          pending.delete(id);
          resolve(result);
        });
        const sent = deps.send({ type: 'menu_request', id, request });
        if (!sent) {
          pending.get(id)?.({ kind: 'no_response' });
        }
      });
    },
    handleResponse: (id: string, response: MenuResponse) => pending.get(id)?.(response),
  };
}
