import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@placard/protocol/api';
import { freePort } from '../../../../../test/support/free-port.ts';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import { S3_CREDENTIALS, startS3Server } from '../../support/s3-server.ts';
import { startMailServer } from '../../support/smtp-server.ts';
import { createApi } from '../support/api.ts';
import { makeAdminKey } from '../support/cloud-process.ts';
import { createHttpClient } from '../support/http-client.ts';
import type { HttpClient } from '../support/http-client.ts';
import { pairDevice } from '../support/paired-device.ts';
import { trialDatabase } from '../support/trial-database.ts';
import { waitFor } from '../support/wait-for.ts';
import { compareAlerts } from './compare-alerts.ts';
import type { AlertsReport, Ledger } from './compare-alerts.ts';
import { startClockedNodes } from './clocked-nodes.ts';
import type { ClockedNodes } from './clocked-nodes.ts';
import {
  ESCALATED,
  ESCALATED_AFTER_MINUTES,
  lengthMs,
  MINUTE_MS,
  OF_ALL,
  pickKind,
  RULES,
  toHeartbeat,
  WELL,
} from './incidents.ts';
import type { Kind, Report, RuleName } from './incidents.ts';

export interface AlertsTrialOptions {
  incidents: number;
  /** How often the cloud is killed. */
  kills: number;
  stores: number;
  /** Several need PostgreSQL; of them one is killed at a time. */
  nodes: number;
  random: SeededRandom;
  onStep?: (step: string) => void;
}

/** Too few of a store for an alert of the store when one of them has something. */
const SCREENS_PER_STORE = 4;
/** The first store is one of many screens. */
const SCREENS_OF_FIRST = 60;
const STEP_MS = 15_000;
/** Steps from one heartbeat of a screen to the next. */
const STEPS_PER_HEARTBEAT = 4;
/** A node that was killed is away for so many steps at most, when there are others. */
const MAX_STEPS_AWAY = 8;
/** After a start devices have to report again, and the offline ones have three minutes to. */
const SETTLING_MS = 4 * MINUTE_MS;
/** Until an alert is surely resolved: a report, the next look, two minutes, and another look. */
const RECOVERY_MS = 7 * MINUTE_MS;
const HEARTBEATS_AT_ONCE = 16;

interface Screen {
  id: string;
  token: string;
  report: Report | null;
}

interface Incident {
  kind: Kind;
  screens: readonly Screen[];
  /** In the ledger; null when there is to be no alert. */
  entry: Ledger['expected'][number] | null;
  isOver: boolean;
  /** Of the present part, incident or recovery: all minutes of a cloud that is up, and those that surely count. */
  upMs: number;
  countedMs: number;
}

interface Store {
  id: string;
  isMuted: boolean;
  screens: readonly Screen[];
  incident: Incident | null;
}

/**
 * Screens have faults, are hot or silent, and whole stores disappear, each for a time that is long enough for an alert or too short,
 * while the cloud is killed again and again. In the end there must be one alert for each that was long enough, with one
 * event and one mail of each step, and no other. Those of old versions share an alert while they overlap.
 */
export async function alertsTrial(options: AlertsTrialOptions): Promise<AlertsReport> {
  const dir = await mkdtemp(join(tmpdir(), 'placard-alerts-'));
  const [adminKey, mails] = [makeAdminKey(), await startMailServer()];
  const database = await trialDatabase(dir);
  const bucket = options.nodes > 1 ? await startBucket(dir) : null;
  const settings = await Promise.all(
    Array.from({ length: options.nodes }, async (_, node) => {
      const dataDir = join(dir, `node-${node}`);
      return {
        dataDir,
        database,
        s3: bucket?.settings,
        port: await freePort(),
        adminKey,
        mailPort: mails.settings.port,
      };
    }),
  );
  const cloud = await startClockedNodes(settings, Date.UTC(2026, 10, 20, 12));
  const clients = settings.map(({ port }) => createHttpClient({ url: `http://127.0.0.1:${port}` }));
  const api = createApi({
    client: clients[0]!,
    // Below the rate limit.
    async key() {
      await cloud.advance(2_500);
      return adminKey;
    },
  });
  try {
    const stores = await prepareStores(api, options.stores);
    const rules = new Map<string, RuleName>();
    const ledger: Ledger = { expected: [], rules };
    const run: Run = { ...options, cloud, clients, stores, ledger };
    // All are online before there are rules: a screen that has never reported is offline.
    for (let step = 0; step < STEPS_PER_HEARTBEAT; step++) {
      await takeStep(run, step);
    }
    for (const name of Object.keys(RULES).filter((each): each is RuleName => each in RULES)) {
      const { id } = await api.expectSuccess(operations.createAlertRule, {
        body: {
          name,
          condition: RULES[name],
          recipients: [`${name}@example.com`],
          escalations:
            name === ESCALATED
              ? [{ after_minutes: ESCALATED_AFTER_MINUTES, recipients: ['boss@example.com'] }]
              : [],
        },
      });
      rules.set(id, name);
    }
    const kills = await runIncidents(run);
    options.onStep?.('comparing');
    let report: AlertsReport | undefined;
    await waitFor(
      'all mails have arrived',
      async () => {
        await cloud.advance(5_000);
        const { pending, ...compared } = await compareAlerts(api, ledger, mails.received);
        report = { incidents: options.incidents, kills, ...compared };
        return pending === 0;
      },
      120_000,
    );
    return report!;
  } finally {
    await cloud.killAll();
    await Promise.all(clients.map((client) => client.close()));
    await mails.close();
    await bucket?.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/** The bucket that nodes share. */
async function startBucket(dir: string) {
  Object.assign(process.env, S3_CREDENTIALS);
  return startS3Server(join(dir, 'objects'));
}

/** Stores with screens that are well; one of them is muted. */
async function prepareStores(api: ReturnType<typeof createApi>, count: number): Promise<Store[]> {
  const stores: Store[] = [];
  let serial = 0;
  for (let index = 0; index < count; index++) {
    const { id } = await api.expectSuccess(operations.createStore, { body: { name: `Store ${index}` } });
    const screens: Screen[] = [];
    for (let n = 0; n < (index === 0 ? SCREENS_OF_FIRST : SCREENS_PER_STORE); n++) {
      serial += 1;
      const from = `127.0.${1 + Math.floor(serial / 250)}.${1 + (serial % 250)}`;
      const { deviceId, token } = await pairDevice(api, `ALERT-${serial}`, { store_id: id }, from);
      screens.push({ id: deviceId, token, report: WELL });
    }
    const isMuted = index === 1;
    if (isMuted) {
      const until = new Date(Date.UTC(2027, 5, 1)).toISOString();
      await api.expectSuccess(operations.createAlertMute, { body: { target: { type: 'store', id }, until } });
    }
    stores.push({ id, isMuted, screens, incident: null });
  }
  return stores;
}

interface Run extends Omit<AlertsTrialOptions, 'stores'> {
  cloud: ClockedNodes;
  /** One for each node. */
  clients: readonly HttpClient[];
  stores: readonly Store[];
  ledger: Ledger;
}

/** Lets all incidents happen, at most one in a store at the same time. Returns how often the cloud was killed. */
async function runIncidents(run: Run): Promise<number> {
  const { cloud, stores, random, ledger, incidents, onStep } = run;
  let begun = 0;
  let killed = 0;
  let sinceStartMs = 0;
  let away: { node: number; untilStep: number } | null = null;
  for (let step = 0; begun < incidents || stores.some(({ incident }) => incident); step++) {
    // The first minutes are without: all screens must be known to be well.
    for (const store of step * STEP_MS < SETTLING_MS ? [] : stores) {
      if (store.incident === null && begun < incidents && random.oneIn(8)) {
        store.incident = begin(store, run);
        begun += 1;
      }
    }
    const isKilled =
      away === null && killed < run.kills && begun >= ((killed + 1) * incidents) / (run.kills + 1);
    if (isKilled) {
      const node = random.pick(cloud.running());
      await stepWithKill(run, step, node);
      away = { node, untilStep: step + (run.nodes > 1 ? random.below(MAX_STEPS_AWAY) : 0) };
      killed += 1;
    } else {
      await takeStep(run, step);
    }
    if (away !== null && step >= away.untilStep) {
      // Alone it is away for longer: time is not seen by anybody else.
      await cloud.start(away.node, run.nodes > 1 ? 0 : random.int(1, 30) * MINUTE_MS);
      away = null;
    }
    sinceStartMs = isKilled ? 0 : sinceStartMs + STEP_MS;
    for (const store of stores) {
      store.incident = store.incident && goOn(store.incident, sinceStartMs > SETTLING_MS, cloud.nowMs());
    }
    if (isKilled && killed % 10 === 0) {
      onStep?.(`${killed} kills, ${begun} incidents, ${ledger.expected.length} alerts expected`);
    }
  }
  if (away !== null) {
    await cloud.start(away.node, 0);
  }
  return killed;
}

function begin({ id, isMuted, screens }: Store, { random, cloud, ledger }: Run): Incident {
  const kind = pickKind(random);
  const concerned = kind.isWholeStore ? screens : [random.pick(screens)];
  for (const screen of concerned) {
    screen.report = kind.report;
  }
  let entry = null;
  if (kind.isLong && !isMuted) {
    const ofOne = kind.isWholeStore ? id : concerned[0]!.id;
    const subject = kind.rule === OF_ALL ? null : ofOne;
    entry = { rule: kind.rule, subject, beganMs: cloud.nowMs(), endedMs: Infinity };
    ledger.expected.push(entry);
  }
  return { kind, screens: concerned, entry, isOver: false, upMs: 0, countedMs: 0 };
}

/** What becomes of an incident in a step; null when the screens are well again, and the alert must be resolved. */
function goOn(incident: Incident, isCounted: boolean, nowMs: number): Incident | null {
  incident.upMs += STEP_MS;
  incident.countedMs += isCounted ? STEP_MS : 0;
  if (incident.isOver) {
    return incident.countedMs >= RECOVERY_MS ? null : incident;
  }
  const { kind, screens, entry } = incident;
  if ((kind.isLong ? incident.countedMs : incident.upMs) >= lengthMs(kind)) {
    for (const screen of screens) {
      screen.report = WELL;
    }
    if (entry) {
      entry.endedMs = nowMs;
    }
    Object.assign(incident, { isOver: true, upMs: 0, countedMs: 0 });
  }
  return incident;
}

async function takeStep(run: Run, step: number): Promise<void> {
  await sendHeartbeats(run, step, true);
  await run.cloud.advance(STEP_MS);
}

/** A step in which a node is killed, while it receives heartbeats or while it looks at the rules and sends mails. */
async function stepWithKill(run: Run, step: number, node: number): Promise<void> {
  const { cloud, random } = run;
  const work = random.oneIn(3)
    ? sendHeartbeats(run, step, false)
    : sendHeartbeats(run, step, true).then(() => cloud.advance(STEP_MS));
  await Promise.race([work, sleep(random.below(400))]);
  if (random.oneIn(2)) {
    await work;
    await sleep(random.below(15));
  }
  await cloud.kill(node);
  await work.catch(() => {});
}

/** Those of the screens whose turn it is. */
async function sendHeartbeats(
  { clients, stores, cloud }: Run,
  step: number,
  mustArrive: boolean,
): Promise<void> {
  const due = stores
    .flatMap(({ screens }) => screens)
    .filter(({ report }, index) => report !== null && (index + step) % STEPS_PER_HEARTBEAT === 0);
  const nowMs = cloud.nowMs();
  const running = cloud.running();
  let sent = 0;
  const send = async ({ token, report }: Screen) => {
    const client = clients[running[sent++ % running.length]!]!;
    const request = { method: 'POST', path: '/v1/player/heartbeats', key: token };
    const answer = await client
      .send({ ...request, json: toHeartbeat(report ?? WELL, nowMs) })
      .catch((error) => {
        if (mustArrive) {
          throw error;
        }
      });
    if (mustArrive && answer?.status !== 200) {
      throw new Error(`a heartbeat was answered ${answer?.status}`);
    }
  };
  const queue = [...due];
  await Promise.all(
    Array.from({ length: HEARTBEATS_AT_ONCE }, async () => {
      for (let screen = queue.pop(); screen; screen = queue.pop()) {
        await send(screen);
      }
    }),
  );
}
