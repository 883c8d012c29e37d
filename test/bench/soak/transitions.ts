import type { StageShowing } from '@placard/protocol/stage';
import type { StageHost } from '../../e2e/stage-host.ts';
import { waitUntil } from '../../support/wait-until.ts';

const TIMEOUT_MS = 60_000;

/** Runs transitions from one showing to the next, each as soon as it is ready. `makeShowing` is called with 0, 1, 2 … */
export async function runTransitions(
  host: StageHost,
  from: number,
  to: number,
  makeShowing: (index: number) => StageShowing,
): Promise<void> {
  for (let index = from; index < to; index++) {
    const showing = makeShowing(index);
    host.send({ type: 'prepare', showing, cut: 'when_ready' });
    await waitUntil(
      `${showing.id} on the screen`,
      () => {
        const last = host.messages.at(-1);
        if (last?.type === 'failed') {
          throw new Error(`${last.showing_id}: ${last.reason}, ${last.detail}`);
        }
        return host.messages.some(
          (message) => message.type === 'started' && message.showing_id === showing.id,
        );
      },
      TIMEOUT_MS,
      5,
    );
    // Cleared, because waiting for a message searches all of them.
    host.messages.length = 0;
  }
}
