import { Agent, request } from 'undici';

const CHECK_INTERVAL_MS = 500;
const CHECK_TIMEOUT_MS = 2_000;

/** Which nodes are ready, as a load balancer knows it. */
export interface Readiness {
  readyNodes(): number[];
  stop(): void;
}

/** Asks the nodes for `/readyz` at intervals, each on its own. */
export function createReadiness(nodes: readonly string[]): Readiness {
  const agent = new Agent({ headersTimeout: CHECK_TIMEOUT_MS, bodyTimeout: CHECK_TIMEOUT_MS });
  const isReady = nodes.map(() => false);

  async function check(node: string, index: number): Promise<void> {
    try {
      const { statusCode, body } = await request(`${node}/readyz`, { dispatcher: agent });
      await body.dump();
      isReady[index] = statusCode === 200;
    } catch {
      isReady[index] = false;
    }
  }
  const timer = setInterval(() => nodes.forEach((node, index) => void check(node, index)), CHECK_INTERVAL_MS);

  return {
    readyNodes: () => nodes.flatMap((_, index) => (isReady[index] ? [index] : [])),
    stop() {
      clearInterval(timer);
      void agent.destroy();
    },
  };
}
