import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { waitUntil } from '../../../../../test/support/wait-until.ts';
import type { NodeCluster } from '../support/nodes/node-cluster.ts';
import type { Traffic } from './traffic.ts';

const OUTAGES = {
  stopped: 'the server was stopped',
  crashed: 'the server crashed',
  refused: 'connections were cut and refused',
  silent: 'nothing was answered',
} as const;
export type OutageKind = keyof typeof OUTAGES;

/** Those that are possible: a server that is not ours stays as it is. */
export const outageKinds = ({ postgres }: NodeCluster): OutageKind[] =>
  postgres ? ['stopped', 'silent', 'crashed', 'refused'] : ['silent', 'refused'];

const PROBE_INTERVAL_MS = 1_000;
/** Longer than a statement may take without an answer. */
const PROBE_TIMEOUT_MS = 60_000;
const READY_WITHIN_MS = 120_000;

export interface OutageFigures {
  kind: OutageKind;
  /** Answers to readers of each node meanwhile. */
  answered: number;
  unavailable: number;
  /** Neither an answer nor 503 with `Retry-After`; readers and devices. */
  failures: Record<string, number>;
  slowestAnswerMs: number;
  /** Sockets at the beginning and at the end. */
  sockets: [before: number, after: number];
  /** From the end of the outage until all nodes are ready; null: not within two minutes. */
  readyAfterMs: number | null;
  /** Nodes that have ended. */
  endedNodes: number;
}

async function begin({ postgres, postgresProxy }: NodeCluster, kind: OutageKind): Promise<void> {
  switch (kind) {
    case 'stopped':
      return postgres?.shutDown();
    case 'crashed':
      return postgres?.shutDown('crash');
    case 'refused':
      return postgresProxy?.cut();
    case 'silent':
      return postgresProxy?.freeze();
  }
}

async function end({ postgres, postgresProxy }: NodeCluster, kind: OutageKind): Promise<void> {
  if (kind === 'stopped' || kind === 'crashed') {
    await postgres?.startAgain();
  } else {
    postgresProxy?.restore();
  }
}

/** Takes PostgreSQL away for a time, while readers ask each node once a second. `keys` has a key for each node. */
export async function makeOutage(
  deps: { cluster: NodeCluster; traffic: Traffic; keys: readonly string[] },
  kind: OutageKind,
  outageMs: number,
): Promise<OutageFigures> {
  const { cluster, traffic, keys } = deps;
  const agent = new Agent({ headersTimeout: PROBE_TIMEOUT_MS, bodyTimeout: PROBE_TIMEOUT_MS });
  const figures: OutageFigures = {
    kind,
    answered: 0,
    unavailable: 0,
    failures: {},
    slowestAnswerMs: 0,
    sockets: [cluster.proxy.sockets.size, 0],
    readyAfterMs: null,
    endedNodes: 0,
  };
  const probe = async (url: string, key: string): Promise<void> => {
    const startedMs = performance.now();
    const result = await request(`${url}/v1/devices?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
      dispatcher: agent,
    })
      .then(async ({ statusCode, headers, body }) => {
        await body.dump();
        return statusCode === 503 && headers['retry-after'] !== undefined
          ? 'unavailable'
          : String(statusCode);
      })
      .catch((error: unknown) => String(error));
    figures.slowestAnswerMs = Math.max(figures.slowestAnswerMs, performance.now() - startedMs);
    if (result === 'unavailable') {
      figures.unavailable += 1;
    } else if (result === '200') {
      figures.answered += 1;
    } else {
      figures.failures[`reader ${result}`] = (figures.failures[`reader ${result}`] ?? 0) + 1;
    }
  };

  const probes: Promise<void>[] = [];
  const window = traffic.watch(null);
  await begin(cluster, kind);
  const untilMs = performance.now() + outageMs;
  while (performance.now() < untilMs) {
    probes.push(...cluster.nodes.map(({ url }, node) => probe(url, keys[node]!)));
    await sleep(Math.min(PROBE_INTERVAL_MS, Math.max(0, untilMs - performance.now())));
  }
  figures.sockets[1] = cluster.proxy.sockets.size;
  await end(cluster, kind);
  const endedMs = performance.now();
  const isReady = async (url: string) => {
    const { statusCode, body } = await request(`${url}/readyz`, { dispatcher: agent });
    await body.dump();
    return statusCode === 200;
  };
  const areReady = async () =>
    (await Promise.all(cluster.nodes.map(({ url }) => isReady(url)))).every(Boolean);
  await waitUntil('all nodes', areReady, READY_WITHIN_MS)
    .then(() => (figures.readyAfterMs = performance.now() - endedMs))
    .catch(() => {});
  window.toMs = performance.now();
  await Promise.all(probes);
  await agent.destroy();
  figures.endedNodes = cluster.nodes.filter(({ hasEnded }) => hasEnded).length;
  Object.assign(figures.failures, window.failures);
  return figures;
}
