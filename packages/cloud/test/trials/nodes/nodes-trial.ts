import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@placard/protocol/api';
import { createCloudApi } from '../../../../../test/simulate/cloud-api/api.ts';
import type { CloudApi } from '../../../../../test/simulate/cloud-api/api.ts';
import { readLedger } from '../../../../../test/simulate/ledger/read-ledger.ts';
import { openFileLimit } from '../../../../../test/support/open-file-limit.ts';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import { startNodeCluster } from '../support/nodes/node-cluster.ts';
import { waitFor } from '../support/wait-for.ts';
import { ledgerIn, startFleet } from './fleet.ts';
import type { FleetSummary } from './fleet.ts';
import { killNode } from './kill-node.ts';
import type { KillFigures } from './kill-node.ts';
import { makeOutage, outageKinds } from './outage.ts';
import type { OutageFigures } from './outage.ts';
import { createTraffic } from './traffic.ts';
import type { TrafficWindow } from './traffic.ts';
import { auditUploads, startUploads } from './uploads.ts';
import { receiveWebhookEvents } from './webhook-events.ts';

const NODES = 3;
const CONNECTED_WITHIN_MS = 600_000;
/** Of the proxy, for each device: its socket and its requests, on both sides. Few devices send requests at the same time. */
const FILES_PER_DEVICE = 4;
/**
 * Devices that lose their power are off for up to 9 s: one that is off for longer would count as not back after a kill. Plays of a minute:
 * with 10 s, 5,000 devices send 500 requests a second, and all that shares two cores is so busy that half of them wait 10 s at the client.
 */
const FLEET_ARGS = ['--commands-per-minute', '60', '--off-seconds', '5'];

export interface NodesTrialOptions {
  devices: number;
  /** How often a node is killed. */
  kills: number;
  /** How often PostgreSQL is away. */
  outages: number;
  outageSeconds: number;
  /** Between two of them: from half of this to one and a half times. */
  pauseSeconds: number;
  random: SeededRandom;
  /** More arguments of the simulator. */
  fleetArgs?: readonly string[];
  onStep?: (step: string) => void;
}

export interface NodesTrialReport {
  seed: number;
  devices: number;
  kills: KillFigures[];
  outages: OutageFigures[];
  /** All requests while nothing was away, for comparison. */
  undisturbed: TrafficWindow[];
  uploads: number;
  uploadRetries: number;
  webhookEvents: number;
  /** Deliveries that came again, as they may after a kill. */
  repeatedDeliveries: number;
  figures: FleetSummary;
  audit: FleetSummary;
  /** Of uploads and webhooks; those of devices are in `audit`. */
  problems: string[];
}

/**
 * Simulated devices, uploads and a webhook on three nodes behind a proxy, while nodes are killed and PostgreSQL goes away.
 * At the end everything that was acknowledged must be there once.
 */
export async function nodesTrial(options: NodesTrialOptions): Promise<NodesTrialReport> {
  const { devices, random, onStep } = options;
  if (devices * FILES_PER_DEVICE > openFileLimit()) {
    throw new Error(
      `${devices} devices need ${devices * FILES_PER_DEVICE} open files: run "ulimit -n ${devices * FILES_PER_DEVICE}" first`,
    );
  }
  const folder = await mkdtemp(join(tmpdir(), 'placard-nodes-trial-'));
  const ends: (() => Promise<unknown> | void)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const traffic = createTraffic();
    const cluster = await startNodeCluster({
      nodes: NODES,
      hasPostgresProxy: options.outages > 0,
      onRequest: (request) => traffic.onRequest(request),
      onSocket: (socket) => traffic.onSocket(socket),
    });
    ends.unshift(() => cluster.stop());
    const { url, adminKey } = cluster;
    const api = createCloudApi({ servers: [url], adminKey });
    const webhook = await receiveWebhookEvents(api);
    ends.unshift(() => webhook.close());
    const fleet = await startFleet({
      url,
      adminKey,
      ledger: ledgerIn(folder),
      devices,
      seed: random.seed,
      args: options.fleetArgs ?? FLEET_ARGS,
    });
    ends.unshift(() => fleet.kill());
    const uploads = startUploads({ url, key: await createKey(api, 'Write') });
    ends.unshift(() => uploads.stop());
    const keys: string[] = [];
    for (let node = 0; node < NODES; node++) {
      keys.push(await createKey(api, 'Read'));
    }
    const untilConnected = () =>
      waitFor(
        () => `99 % of the devices are connected; ${cluster.proxy.sockets.size} are`,
        () => cluster.proxy.sockets.size >= devices * 0.99,
        CONNECTED_WITHIN_MS,
        200,
      );
    await untilConnected();
    onStep?.(`${devices} devices are connected`);

    const undisturbed: TrafficWindow[] = [];
    const pause = async () => {
      const window = traffic.watch(null);
      undisturbed.push(window);
      await sleep(options.pauseSeconds * (500 + random.below(1_000)));
      window.toMs = performance.now();
    };
    const kills: KillFigures[] = [];
    while (kills.length < options.kills) {
      await pause();
      const killed = await killNode({ cluster, traffic, random }, random.below(NODES));
      kills.push(killed);
      onStep?.(
        `kill ${kills.length}: node ${killed.node}, ${killed.screens} screens, back after ${killed.backMs} ms`,
      );
    }
    const outages: OutageFigures[] = [];
    const possible = outageKinds(cluster);
    while (outages.length < options.outages) {
      await pause();
      const kind = possible[outages.length % possible.length]!;
      const outage = await makeOutage({ cluster, traffic, keys }, kind, options.outageSeconds * 1_000);
      outages.push(outage);
      onStep?.(`outage ${outages.length}: ${JSON.stringify(outage)}`);
      await untilConnected();
    }
    await pause();

    await uploads.stop();
    const { figures, audit } = await fleet.end();
    onStep?.('the simulator has compared the cloud with its ledger');
    const { commands } = await readLedger(ledgerIn(folder));
    const expectedEvents = [
      ...[...uploads.acknowledged.values()].map(({ id }) => `content.created ${id}`),
      ...[...commands].flatMap(([id, { reported }]) =>
        reported === 'succeeded' || reported === 'failed' ? [`command.finished ${id}`] : [],
      ),
    ];
    const problems = [...(await auditUploads(api, uploads)), ...(await webhook.audit(expectedEvents))];
    await api.close();
    return {
      seed: random.seed,
      devices,
      kills,
      outages,
      undisturbed,
      uploads: uploads.acknowledged.size,
      uploadRetries: uploads.retries,
      webhookEvents: expectedEvents.length,
      repeatedDeliveries: webhook.repeated,
      figures,
      audit,
      problems,
    };
  } finally {
    for (const end of ends) {
      await Promise.resolve(end()).catch((error: unknown) =>
        onStep?.(`could not be ended: ${String(error)}`),
      );
    }
  }
}

async function createKey(api: CloudApi, scope: 'Read' | 'Write'): Promise<string> {
  const { key } = await api.call(operations.createApiKey, {
    body: { name: 'trial', scope },
    idempotencyKey: crypto.randomUUID(),
  });
  return key;
}
