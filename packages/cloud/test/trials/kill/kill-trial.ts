import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery } from '@placard/protocol/api';
import { createApi } from '../support/api.ts';
import { ContractViolation, assert, truncate } from '../support/contract-violation.ts';
import { createSeededRandom } from '../../../../../test/support/seeded-random.ts';
import { createHttpClient } from '../support/http-client.ts';
import { CLOUD_MAIN, makeAdminKey, NODE_FLAGS, startCloudProcess } from '../support/cloud-process.ts';
import type { CloudProcess } from '../support/cloud-process.ts';
import { createKeyRing } from '../support/key-ring.ts';
import { listAllDeliveries } from '../support/deliveries.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { verifyDelivery } from '../support/verify-delivery.ts';
import { operations } from '@placard/protocol/api';
import { editor, operator, technician, uploader } from './actors.ts';
import type { ActorContext } from './actors.ts';
import { heartbeatsOverSocket, pairScreen, player } from './players.ts';
import { verifyState } from './verify-state.ts';
import { applyNote, createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { createRetryingClient, ClientClosedError } from './retrying-client.ts';
import type { RetryingClient } from './retrying-client.ts';
import { freePort } from '../../../../../test/support/free-port.ts';

export interface KillTrialOptions {
  /** How often the process is killed. */
  rounds: number;
  seed: number;
  onRound?: (round: number, facts: string) => void;
}

/** Players with a socket; their heartbeats share transactions. */
const SOCKET_PLAYERS = 4;

export interface KillReport {
  seed: number;
  rounds: number;
  /** How often the process was killed before it was ready. */
  killedWhileStarting: number;
  requests: number;
  /** Requests that were sent again after their response was lost. */
  retries: number;
  doctor: 'clean' | 'not there';
  counts: Record<string, number>;
  socketHeartbeats: Ledger['socketHeartbeats'];
}

/**
 * Clients upload, edit, deploy, pair and report while the cloud is killed repeatedly. After each start everything that
 * was acknowledged must exist, complete and without duplicates.
 */
export async function killTrial(options: KillTrialOptions): Promise<KillReport> {
  const random = createSeededRandom(options.seed);
  const dataDir = await mkdtemp(join(tmpdir(), 'placard-kill-'));
  const cloudOptions = {
    dataDir,
    port: await freePort(),
    adminKey: makeAdminKey(),
    args: ['--allow-address', '127.0.0.1/32'],
  };
  let cloud: CloudProcess = await startCloudProcess(cloudOptions);
  const client = createHttpClient({ url: cloud.url });
  const ring = createKeyRing({ client, adminKey: cloudOptions.adminKey });
  const api = createApi({ client, key: () => ring.take() });
  const retryingClient = createRetryingClient({ api, ring });
  const ledger = createLedger();
  let counter = 0;
  const actorContext: ActorContext = {
    retryingClient,
    client,
    random,
    ledger,
    note: (note) => applyNote(ledger, note),
    next: () => counter++,
    sinceMs: Date.now() - 3_600_000,
  };
  const verifyContext = { api, dataDir, ledger, verified: new Set<string>() };
  const hasDoctor = await hasDoctorCommand();
  const report: KillReport = {
    seed: options.seed,
    rounds: 0,
    killedWhileStarting: 0,
    requests: 0,
    retries: 0,
    doctor: hasDoctor ? 'clean' : 'not there',
    counts: {},
    socketHeartbeats: ledger.socketHeartbeats,
  };

  const screen = await pairScreen(actorContext, api, 'the screen');
  const { deviceId } = screen;
  const socketScreens = [];
  for (let number = 0; number < SOCKET_PLAYERS; number++) {
    socketScreens.push(await pairScreen(actorContext, api, `socket ${number}`));
  }

  let secret = '';
  const receiver = await startWebhookReceiver((one) => {
    const event = verifyDelivery(one, secret, Date.now());
    if (event.responseStatus === 204) {
      ledger.notifications.received.add(`${event.type} ${event.resource}`);
    }
  });
  // The receiver fails at times, but never twice for one delivery, because retry delays grow.
  const failed = new Set<string>();
  receiver.setBehaviour(({ 'webhook-id': id }) => {
    if (failed.has(String(id)) || !random.oneIn(25)) {
      return 204;
    }
    failed.add(String(id));
    return 500;
  });
  const webhook = await api.expectSuccess(operations.createWebhook, {
    body: {
      url: receiver.url,
      events: [
        'content.created',
        'playlist.created',
        'playlist.deployed',
        'schedule.changed',
        'device.paired',
      ],
    },
  });
  secret = webhook.secret;

  // The first violation ends the trial.
  const firstFailure = Promise.withResolvers<never>();
  firstFailure.promise.catch(() => {});
  const actors = [
    uploader(actorContext),
    uploader(actorContext),
    editor(actorContext, deviceId),
    player(actorContext, screen),
    ...socketScreens.map((each) => player(actorContext, each, heartbeatsOverSocket)),
    technician(actorContext),
    operator(actorContext, deviceId),
  ].map((actor) =>
    actor.catch((error: unknown) => {
      if (!(error instanceof ClientClosedError)) {
        firstFailure.reject(error);
      }
    }),
  );
  const orFirstFailure = <T>(work: Promise<T>): Promise<T> => Promise.race([work, firstFailure.promise]);

  try {
    for (; report.rounds < options.rounds; report.rounds++) {
      retryingClient.resume();
      // Most runs are short; some are long enough for slow work such as inspecting an image.
      const maxResponses = random.oneIn(3) ? 400 : 80;
      await orFirstFailure(runUntilResponses(retryingClient, random.below(maxResponses)));
      await orFirstFailure(sleep(random.below(20)));
      retryingClient.pause();
      await cloud.kill9();
      if (hasDoctor) {
        await assertDoctorClean(dataDir);
      }
      while (random.oneIn(8)) {
        await killWhileStarting(cloudOptions, random.below(700));
        report.killedWhileStarting++;
      }
      cloud = await startCloudProcess(cloudOptions);
      await orFirstFailure(verifyState(verifyContext));
      options.onRound?.(
        report.rounds + 1,
        `${ledger.assets.size} uploads, ${ledger.playlists.size} playlists`,
      );
    }
    // All actors finish their current step; then nothing may be pending.
    retryingClient.resume();
    await orFirstFailure(sleep(300));
    retryingClient.close();
    await Promise.all(actors);
    await orFirstFailure(verifyState(verifyContext));
    await waitForNotifications(ledger, async () => listAllDeliveries(api, webhook.id));
  } catch (error) {
    if (!(error instanceof Error)) {
      throw error;
    }
    throw new ContractViolation(`round ${report.rounds + 1} of seed ${options.seed}: ${error.message}`, {
      cause: error,
    });
  } finally {
    retryingClient.close();
    await client.close();
    await cloud.kill9();
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  }
  report.requests = [...client.statusCounts.values()].reduce((sum, n) => sum + n, 0);
  report.retries = retryingClient.retryCount;
  for (const [kind, entries] of Object.entries(ledger)) {
    if ('size' in entries) {
      report.counts[kind] = entries.size;
    }
  }
  report.counts['notifications'] = ledger.notifications.expected.size;
  for (const kind of ['samples', 'plays'] as const) {
    const counts = [...ledger.screens.values()].map((each) => each[kind].acknowledged.size);
    report.counts[kind] = counts.reduce((sum, each) => sum + each, 0);
  }
  return report;
}

/** Failed deliveries are retried after five seconds, then after a minute. */
async function waitForNotifications(
  { notifications }: Ledger,
  deliveries: () => Promise<Delivery[]>,
): Promise<void> {
  const missing = () => [...notifications.expected].filter((notice) => !notifications.received.has(notice));
  let details: Delivery[] = [];
  await waitFor(
    () => `every notification arrived; missing: ${missing().join(', ')}; deliveries: ${truncate(details)}`,
    async () => {
      if (missing().length === 0) {
        return true;
      }
      details = (await deliveries()).filter((one) =>
        missing().some((notice) => JSON.stringify(one.payload).includes(notice.split(' ')[1] ?? '')),
      );
      return false;
    },
    150_000,
    2_000,
  );
}

/** Run lengths are counted in responses, so that a slow machine is killed under the same load as a fast one. */
async function runUntilResponses(retryingClient: RetryingClient, responses: number): Promise<void> {
  const until = retryingClient.responseCount + responses;
  const lastMs = performance.now() + 5_000;
  while (retryingClient.responseCount < until && performance.now() < lastMs) {
    await sleep(1);
  }
}

async function killWhileStarting(
  cloudOptions: { dataDir: string; port: number; adminKey: string },
  afterMs: number,
): Promise<void> {
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS, CLOUD_MAIN, '--port', String(cloudOptions.port), '--data', cloudOptions.dataDir],
    { stdio: 'ignore', env: { ...process.env, PLACARD_ADMIN_KEY: cloudOptions.adminKey } },
  );
  await sleep(afterMs);
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) {
    await once(child, 'exit');
  }
}

async function runCli(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [CLOUD_MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  return { code: child.exitCode, output };
}

const hasDoctorCommand = async () => /^\s+doctor\b/m.test((await runCli(['--help'])).output);

async function assertDoctorClean(dataDir: string): Promise<void> {
  const { code, output } = await runCli(['doctor', '--data', dataDir]);
  assert(code === 0, 'doctor reports problems', output);
}
