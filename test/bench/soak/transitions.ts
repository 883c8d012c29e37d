import type { Showing } from '../../../src/stage-link/messages.ts';
import type { StageHost } from '../../e2e/stage-host.ts';
import { until } from '../../support/until.ts';

const PATIENCE_MS = 60_000;

/** Cuts from one showing to the next, each as soon as it is ready. `makeShowing` is asked with 0, 1, 2 … */
export async function runTransitions(
  host: StageHost,
  from: number,
  to: number,
  makeShowing: (index: number) => Showing,
): Promise<void> {
  for (let index = from; index < to; index++) {
    const showing = makeShowing(index);
    host.send({ type: 'prepare', showing, cut: 'when_ready' });
    await until(
      `${showing.id} on the screen`,
      () => {
        const last = host.said.at(-1);
        if (last?.type === 'failed') throw new Error(`${last.showing_id}: ${last.reason}, ${last.detail}`);
        return host.said.some((message) => message.type === 'started' && message.showing_id === showing.id);
      },
      PATIENCE_MS,
      5,
    );
    // Thousands of messages would be looked through for each that is awaited.
    host.said.length = 0;
  }
}
