import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@placard/protocol/api';
import { freePort } from '../../../../../test/support/free-port.ts';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import { S3_CREDENTIALS, startS3Server } from '../../support/s3-server.ts';
import { startMailServer } from '../../support/smtp-server.ts';
import type { TestMailServer } from '../../support/smtp-server.ts';
import { createApi } from '../support/api.ts';
import { makeAdminKey } from '../support/cloud-process.ts';
import { createHttpClient } from '../support/http-client.ts';
import type { HttpClient } from '../support/http-client.ts';
import { trialDatabase } from '../support/trial-database.ts';
import { waitFor } from '../support/wait-for.ts';
import { compareAlerts } from './compare-alerts.ts';
import type { Compared, Ledger } from './compare-alerts.ts';
import type { KillSpan } from './compare-mails.ts';
import { startClockedNodes } from './clocked-nodes.ts';
import type { ClockedNodes } from './clocked-nodes.ts';
import {
  FIELDS,
  isLong,
  isOfPictures,
  isOpenAt,
  lengthMs,
  MINUTE_MS,
  nextReportMs,
  OF_ALL,
  pickKind,
  picturesOf,
  recoveryMs,
  RULES,
  WELL,
} from './incidents.ts';
import type { Kind, RuleName } from './incidents.ts';
import { prepareFleet, sendReports, setReport, STEP_MS, STEPS_PER_HEARTBEAT } from './screens.ts';
import type { Fleet, Screen, Store } from './screens.ts';

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

export interface AlertsReport extends Omit<Compared, 'pending'> {
  /** How many there were of each kind: rule and length. */
  incidents: Readonly<Record<string, number>>;
  /** Of them, those during which a mute ended. */
  mutedAtFirst: number;
  kills: number;
}

/** A node that was killed is away for so many steps at most, when there are others. */
const MAX_STEPS_AWAY = 8;
/** After a start devices have to report again, and the offline ones have three minutes to. */
const SETTLING_MS = 4 * MINUTE_MS;
/** How long a kill waits for a mail; there is none in many steps. */
const MAIL_WAIT_MS = 2_000;
/** One of so many incidents that last long begins muted. */
const MUTED_ONE_IN = 6;
/** Longer than the incident must last by its rule, until its mute ends. */
const MAX_MUTED_LONGER_MINUTES = 5;

interface Incident {
  kind: Kind;
  store: Store;
  screens: readonly Screen[];
  /** In the ledger; null when there is to be no alert. */
  entry: Ledger['expected'][number] | null;
  mutedUntilMs: number;
  isOver: boolean;
  /** Of the present part, incident or recovery: all minutes of a cloud that is up, and those that surely count. */
  upMs: number;
  countedMs: number;
}

/**
 * Screens have faults, are hot, silent, behind, idle, black or frozen, and whole stores disappear, each for a time that is long enough for
 * an alert or too short, often by a minute, while the cloud is killed again and again. In the end there must be one alert for each that
 * was long enough, with one event and one mail of each step, and no other. Those of old versions share an alert while they overlap.
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
    const fleet = await prepareFleet(api, adminKey, options.stores);
    const rules = new Map<string, RuleName>();
    const ledger: Ledger = { expected: [], rules };
    const run: Run = {
      ...options,
      cloud,
      clients,
      adminKey,
      fleet,
      mails,
      ledger,
      begun: [],
      active: new Map(),
      killSpans: [],
    };
    // All are online before there are rules, and have said twice what they show: a screen that has never reported is offline.
    for (let step = 0; step < 2 * STEPS_PER_HEARTBEAT; step++) {
      await takeStep(run, step);
    }
    for (const name of Object.keys(RULES).filter((each): each is RuleName => each in RULES)) {
      const { id } = await api.expectSuccess(operations.createAlertRule, {
        body: { name, condition: RULES[name], recipients: [`${name}@example.com`], ...FIELDS[name] },
      });
      rules.set(id, name);
    }
    await runIncidents(run);
    options.onStep?.('comparing');
    const compare = async () => {
      await cloud.advance(5_000);
      return compareAlerts(api, ledger, mails.received, run.killSpans);
    };
    let compared = await compare();
    await waitFor(
      'all mails have arrived',
      async () => {
        compared = compared.pending === 0 ? compared : await compare();
        return compared.pending === 0;
      },
      120_000,
    );
    const { pending: _pending, ...figures } = compared;
    return { ...countIncidents(run.begun), kills: run.killSpans.length, ...figures };
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

function countIncidents(begun: readonly Incident[]): Pick<AlertsReport, 'incidents' | 'mutedAtFirst'> {
  const byKind = Map.groupBy(begun, ({ kind: { rule, length, isWholeStore } }) =>
    [rule, length, ...(isWholeStore ? ['of a store'] : [])].join(' '),
  );
  return {
    incidents: Object.fromEntries([...byKind].map(([name, list]) => [name, list.length])),
    mutedAtFirst: begun.filter(({ mutedUntilMs }) => mutedUntilMs > 0).length,
  };
}

interface Run extends AlertsTrialOptions {
  cloud: ClockedNodes;
  /** One for each node. */
  clients: readonly HttpClient[];
  adminKey: string;
  fleet: Fleet;
  mails: TestMailServer;
  ledger: Ledger;
  begun: Incident[];
  /** The incident of each store that has one. */
  active: Map<Store, Incident>;
  killSpans: KillSpan[];
}

/** Lets all incidents happen, at most one in a store at the same time. */
async function runIncidents(run: Run): Promise<void> {
  const { cloud, fleet, random, ledger, begun, active, killSpans, mails, incidents, onStep } = run;
  let sinceStartMs = 0;
  let away: { node: number; untilStep: number } | null = null;
  let fromMail = 0;
  for (let step = 0; begun.length < incidents || active.size > 0 || killSpans.length < run.kills; step++) {
    // The first minutes are without: all screens must be known to be well.
    for (const store of step * STEP_MS < SETTLING_MS ? [] : fleet.stores) {
      if (!active.has(store) && begun.length < incidents && random.oneIn(8)) {
        const incident = await begin(store, run);
        begun.push(incident);
        active.set(store, incident);
      }
    }
    const isKilled =
      away === null &&
      killSpans.length < run.kills &&
      begun.length >= ((killSpans.length + 1) * incidents) / (run.kills + 1);
    const mailsBefore = mails.received.length;
    if (isKilled) {
      const node = random.pick(cloud.running());
      await stepWithKill(run, step, node);
      away = { node, untilStep: step + (run.nodes > 1 ? random.below(MAX_STEPS_AWAY) : 0) };
    } else {
      await takeStep(run, step);
    }
    if (away !== null && step >= away.untilStep) {
      // Alone it is away for longer: time is not seen by anybody else.
      await cloud.start(away.node, run.nodes > 1 ? 0 : random.int(1, 30) * MINUTE_MS);
      away = null;
    }
    sinceStartMs = isKilled ? 0 : sinceStartMs + STEP_MS;
    for (const [store, incident] of active) {
      if (goOn(incident, sinceStartMs > SETTLING_MS, cloud.nowMs())) {
        active.delete(store);
      }
    }
    if (isKilled) {
      killSpans.push({ fromMail, untilMail: mails.received.length });
      if (killSpans.length % 10 === 0) {
        onStep?.(
          `${killSpans.length} kills, ${begun.length} incidents, ${ledger.expected.length} alerts expected`,
        );
      }
    }
    // What came just before the next step may not have been stored when a node is killed in it.
    fromMail = mailsBefore;
  }
  if (away !== null) {
    await cloud.start(away.node, 0);
  }
}

async function begin(store: Store, run: Run): Promise<Incident> {
  const { random, cloud, ledger } = run;
  // Few stores send pictures.
  const mustBeOfPictures = store.screens.every(sendsPictures) && random.oneIn(2);
  const kind = pickKind(
    random,
    (each) => isPossible(each, store) && (!mustBeOfPictures || isOfPictures(each)),
  );
  const screens = kind.isWholeStore ? store.screens : [random.pick(store.screens)];
  for (const screen of screens) {
    setReport(screen, kind.report);
  }
  const nowMs = cloud.nowMs();
  const ofOne = kind.isWholeStore ? store.id : screens[0]!.id;
  const isAlert = isLong(kind) && !store.isMuted && (kind.rule !== 'filtered' || store.isFiltered);
  let mutedUntilMs = 0;
  if (isAlert && kind.length === 'long' && kind.rule !== OF_ALL && random.oneIn(MUTED_ONE_IN)) {
    mutedUntilMs = nowMs + lengthMs(kind) + random.int(0, MAX_MUTED_LONGER_MINUTES) * MINUTE_MS;
    await mute(run, kind.isWholeStore || random.oneIn(2) ? store.id : ofOne, mutedUntilMs);
  }
  const entry = {
    rule: kind.rule,
    subject: kind.rule === OF_ALL ? null : ofOne,
    beganMs: Math.max(nowMs, mutedUntilMs),
    endedMs: Infinity,
    heardMs: Infinity,
    mayOpenAt: (ms: number) => kind.rule !== 'hours' || isOpenAt(ms, store.aheadMinutes),
  };
  if (isAlert) {
    ledger.expected.push(entry);
  }
  return {
    kind,
    store,
    screens,
    entry: isAlert ? entry : null,
    mutedUntilMs,
    isOver: false,
    upMs: 0,
    countedMs: 0,
  };
}

const sendsPictures = ({ pictureStep }: Screen): boolean => pictureStep !== null;

function isPossible(kind: Kind, { screens }: Store): boolean {
  if (isOfPictures(kind)) {
    return screens.every(sendsPictures);
  }
  // One that was not heard when the cloud was killed may have been silent for another minute.
  return kind.rule !== 'silence' || kind.length !== 'below' || screens.every(({ isHeard }) => isHeard);
}

/** No alert is opened for the device or the store for a while. */
async function mute({ cloud, clients, adminKey }: Run, id: string, untilMs: number): Promise<void> {
  const api = createApi({ client: clients[cloud.running()[0]!]!, key: () => adminKey });
  const target = { type: id.startsWith('store_') ? 'store' : 'device', id };
  await api.expectSuccess(operations.createAlertMute, {
    body: { target, until: new Date(untilMs).toISOString() },
  });
}

/** What becomes of an incident in a step. Returns whether the screens are well again, and the alert must be resolved. */
function goOn(incident: Incident, isCounted: boolean, nowMs: number): boolean {
  const { kind, screens, entry, store } = incident;
  const isOpen = [nowMs - STEP_MS, nowMs].map((ms) => isOpenAt(ms, store.aheadMinutes));
  const hasHours = kind.rule === 'hours' && !incident.isOver;
  incident.upMs += !hasHours || isOpen.some(Boolean) ? STEP_MS : 0;
  incident.countedMs += isCounted && (!hasHours || isOpen.every(Boolean)) ? STEP_MS : 0;
  if (incident.isOver) {
    return incident.countedMs >= recoveryMs(kind);
  }
  if (nowMs <= incident.mutedUntilMs || screens.some(({ pictures }) => pictures < picturesOf(kind))) {
    Object.assign(incident, { upMs: 0, countedMs: 0 });
    return false;
  }
  if ((isLong(kind) ? incident.countedMs : incident.upMs) >= lengthMs(kind)) {
    for (const screen of screens) {
      setReport(screen, WELL);
    }
    if (entry) {
      Object.assign(entry, { endedMs: nowMs, heardMs: nowMs + nextReportMs(kind) });
    }
    Object.assign(incident, { isOver: true, upMs: 0, countedMs: 0 });
  }
  return false;
}

async function takeStep(run: Run, step: number): Promise<void> {
  const [failure] = await sendReports(run, step);
  if (failure !== undefined) {
    throw new Error('what a screen sends must be taken', { cause: failure });
  }
  await run.cloud.advance(STEP_MS);
}

/** A step in which a node is killed, while it receives heartbeats, while it looks at the rules, or when one of its mails was just taken. */
async function stepWithKill(run: Run, step: number, node: number): Promise<void> {
  const { cloud, random, mails } = run;
  const sending = sendReports(run, step);
  const work = random.oneIn(3) ? sending : sending.then(() => cloud.advance(STEP_MS));
  if (random.oneIn(2)) {
    await mailCame(mails);
  } else {
    await Promise.race([work, sleep(random.below(400))]);
    if (random.oneIn(2)) {
      await work;
      await sleep(random.below(15));
    }
  }
  await cloud.kill(node);
  await work;
}

/** Waits until the next mail was taken, or a while. */
async function mailCame({ received }: TestMailServer): Promise<void> {
  const [before, lastMs] = [received.length, performance.now() + MAIL_WAIT_MS];
  while (received.length === before && performance.now() < lastMs) {
    await setImmediate();
  }
}
