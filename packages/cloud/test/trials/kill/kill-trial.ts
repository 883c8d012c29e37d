import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery } from '@placard/protocol/api';
import { createApi } from '../support/api.ts';
import { Breach, must, short } from '../support/breach.ts';
import { createChance } from '../support/chance.ts';
import { createClient } from '../support/client.ts';
import {
  CLOUD_MAIN,
  freePort,
  makeAdminKey,
  NODE_FLAGS,
  startCloudProcess,
} from '../support/cloud-process.ts';
import type { CloudProcess } from '../support/cloud-process.ts';
import { createKeyRing } from '../support/key-ring.ts';
import { allDeliveries } from '../support/deliveries.ts';
import { waitFor } from '../support/wait-for.ts';
import { openReceiver } from '../support/receiver.ts';
import { readEvent } from '../support/standard-webhook.ts';
import { operations } from '@placard/protocol/api';
import { pairScreen } from '../support/player.ts';
import { editor, operator, player, technician, uploader } from './actors.ts';
import type { Stage } from './actors.ts';
import { audit } from './audit.ts';
import { createLedger } from './ledger.ts';
import type { Ledger, ScreenLedger } from './ledger.ts';
import { createLine, LineClosed } from './line.ts';
import type { Line } from './line.ts';

export interface KillTrial {
  /** How often the process is killed. */
  rounds: number;
  seed: number;
  onRound?: (round: number, facts: string) => void;
}

export interface KillReport {
  seed: number;
  rounds: number;
  /** Times that the process was killed before it was ready. */
  killedWhileStarting: number;
  requests: number;
  /** Requests whose answer was lost, and that were sent again. */
  sentAgain: number;
  doctor: 'clean' | 'not there';
  held: Record<string, number>;
}

/**
 * Clients upload, edit, deploy, pair and report while the cloud dies without warning, again and again. After each
 * start everything that was answered is there, once and whole.
 */
export async function killTrial(options: KillTrial): Promise<KillReport> {
  const chance = createChance(options.seed);
  const dataDir = await mkdtemp(join(tmpdir(), 'placard-kill-'));
  const settings = {
    dataDir,
    port: await freePort(),
    adminKey: makeAdminKey(),
    args: ['--allow-address', '127.0.0.1/32'],
  };
  let cloud: CloudProcess = await startCloudProcess(settings);
  const client = createClient({ url: cloud.url });
  const ring = createKeyRing({ client, adminKey: settings.adminKey });
  const api = createApi({ client, key: () => ring.take() });
  const line = createLine({ api, ring });
  const ledger = createLedger();
  let counter = 0;
  const stage: Stage = {
    line,
    client,
    chance,
    ledger,
    next: () => counter++,
    sinceMs: Date.now() - 3_600_000,
  };
  const scene = { api, dataDir, ledger, verified: new Set<string>() };
  const hasDoctor = await knowsDoctor();
  const report: KillReport = {
    seed: options.seed,
    rounds: 0,
    killedWhileStarting: 0,
    requests: 0,
    sentAgain: 0,
    doctor: hasDoctor ? 'clean' : 'not there',
    held: {},
  };

  const { deviceId, token } = await pairScreen(api, 'the screen', { name: 'the screen' });
  const screen: ScreenLedger = {
    token,
    samples: { told: new Set(), sent: new Set() },
    plays: { told: new Set(), sent: new Set() },
    deployed: { told: null, sent: null },
  };
  ledger.screens.set(deviceId, screen);
  ledger.devices.set('the screen', { id: deviceId, removal: 'no' });

  let secret = '';
  const receiver = await openReceiver((one) => {
    const event = readEvent(one, secret, Date.now());
    if (event.answered === 204) ledger.notices.came.add(`${event.type} ${event.resource}`);
  });
  // Now and then it is not well, but never twice for one delivery: the waits between tries grow.
  const failed = new Set<string>();
  receiver.behave(({ 'webhook-id': id }) => {
    if (failed.has(String(id)) || !chance.once(25)) return 204;
    failed.add(String(id));
    return 500;
  });
  const webhook = await api.get(operations.createWebhook, {
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

  // The first that finds a breach ends the trial.
  const breach = Promise.withResolvers<never>();
  breach.promise.catch(() => {});
  const actors = [
    uploader(stage),
    uploader(stage),
    editor(stage, { deviceId, ledger: screen }),
    player(stage, screen),
    technician(stage),
    operator(stage, deviceId),
  ].map((actor) =>
    actor.catch((error: unknown) => {
      if (!(error instanceof LineClosed)) breach.reject(error);
    }),
  );
  const orFailed = <T>(work: Promise<T>): Promise<T> => Promise.race([work, breach.promise]);

  try {
    for (; report.rounds < options.rounds; report.rounds++) {
      line.open();
      // Most die young; some live long enough for what takes its time, such as looking at a picture.
      const mostAnswers = chance.once(3) ? 150 : 30;
      await orFailed(someLife(line, chance.int(mostAnswers)));
      await orFailed(sleep(chance.int(20)));
      line.shut();
      await cloud.kill9();
      if (hasDoctor) await mustBeClean(dataDir);
      while (chance.once(8)) {
        await killWhileStarting(settings, chance.int(700));
        report.killedWhileStarting++;
      }
      cloud = await startCloudProcess(settings);
      await orFailed(audit(scene));
      options.onRound?.(
        report.rounds + 1,
        `${ledger.assets.size} uploads, ${ledger.playlists.size} playlists`,
      );
    }
    // Everybody comes to an end of what they were doing; then nothing may be open.
    line.open();
    await orFailed(sleep(300));
    line.close();
    await Promise.all(actors);
    await orFailed(audit(scene));
    await allNoticesCame(ledger, async () => allDeliveries(api, webhook.id));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Breach(`round ${report.rounds + 1} of seed ${options.seed}: ${error.message}`, {
      cause: error,
    });
  } finally {
    line.close();
    await client.close();
    await cloud.kill9();
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  }
  report.requests = [...client.statuses.values()].reduce((sum, n) => sum + n, 0);
  report.sentAgain = line.again;
  for (const [kind, entries] of Object.entries(ledger))
    if ('size' in entries) report.held[kind] = entries.size;
  report.held['notifications'] = ledger.notices.due.size;
  report.held['samples'] = screen.samples.told.size;
  report.held['plays'] = screen.plays.told.size;
  return report;
}

/** What failed is tried again after five seconds, then after a minute. */
async function allNoticesCame({ notices }: Ledger, deliveries: () => Promise<Delivery[]>): Promise<void> {
  const missing = () => [...notices.due].filter((notice) => !notices.came.has(notice));
  let facts: Delivery[] = [];
  await waitFor(
    () => `every notification came; missing: ${missing().join(', ')}; deliveries: ${short(facts)}`,
    async () => {
      if (missing().length === 0) return true;
      facts = (await deliveries()).filter((one) =>
        missing().some((notice) => JSON.stringify(one.payload).includes(notice.split(' ')[1] ?? '')),
      );
      return false;
    },
    150_000,
    2_000,
  );
}

/** Lives are counted in answers, so that a slow machine dies as busy as a fast one. */
async function someLife(line: Line, answers: number): Promise<void> {
  const until = line.answered + answers;
  const lastMs = performance.now() + 5_000;
  while (line.answered < until && performance.now() < lastMs) await sleep(1);
}

async function killWhileStarting(
  settings: { dataDir: string; port: number; adminKey: string },
  afterMs: number,
): Promise<void> {
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS, CLOUD_MAIN, '--port', String(settings.port), '--data', settings.dataDir],
    { stdio: 'ignore', env: { ...process.env, PLACARD_ADMIN_KEY: settings.adminKey } },
  );
  await sleep(afterMs);
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [CLOUD_MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  return { code: child.exitCode, output };
}

const knowsDoctor = async () => /^\s+doctor\b/m.test((await run(['--help'])).output);

async function mustBeClean(dataDir: string): Promise<void> {
  const { code, output } = await run(['doctor', '--data', dataDir]);
  must(code === 0, 'doctor is not content', output);
}
