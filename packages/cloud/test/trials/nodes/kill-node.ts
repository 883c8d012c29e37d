import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import type { NodeCluster } from '../support/nodes/node-cluster.ts';
import type { Traffic, TrafficWindow } from './traffic.ts';

const BACK_WITHIN_MS = 180_000;
/** As the service manager of an operator starts it again. */
const STARTED_AFTER_MS = [1_000, 5_000] as const;

export interface KillFigures {
  node: number;
  /** That had a socket to the node. */
  screens: number;
  /** Until 99 % of them have one to another node; null: not within three minutes. */
  backMs: number | null;
  /** Requests to the other nodes until then, and until the node is there again. */
  others: TrafficWindow;
}

/** Kills a node without clean-up, and starts it again after some seconds. */
export async function killNode(
  { cluster, traffic, random }: { cluster: NodeCluster; traffic: Traffic; random: SeededRandom },
  node: number,
): Promise<KillFigures> {
  const screens = new Set(
    [...cluster.proxy.sockets].filter((one) => one.node === node).map((one) => one.authorization),
  );
  const others = traffic.watch(node);
  const back = traffic.untilBack(screens, Math.floor(screens.size / 100), BACK_WITHIN_MS);
  await cluster.kill(node);
  await sleep(random.int(...STARTED_AFTER_MS));
  await cluster.restart(node);
  const backMs = await back;
  others.toMs = performance.now();
  return { node, screens: screens.size, backMs, others };
}
