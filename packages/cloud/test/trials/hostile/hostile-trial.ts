import { setTimeout as sleep } from 'node:timers/promises';
import { createApi } from '../support/api.ts';
import { assert } from '../support/contract-violation.ts';
import { createSeededRandom } from '../../../../../test/support/seeded-random.ts';
import { createHttpClient } from '../support/http-client.ts';
import type { HttpClient } from '../support/http-client.ts';
import { makeAdminKey, startCloudProcess } from '../support/cloud-process.ts';
import { createKeyRing } from '../support/key-ring.ts';
import { waitFor } from '../support/wait-for.ts';
import { startAttackers } from './attackers.ts';
import type { Attackers } from './attackers.ts';
import { readBack } from './read-back.ts';
import { fillRepeatedly } from './disk-cycles.ts';
import type { FullDiskPeriod } from './disk-cycles.ts';
import { findMemoryGrowth, findSlowRequests, findUnexpectedFailures } from './pass-criteria.ts';
import { watchEventLoopDelay } from './event-loop-delay.ts';
import type { LoadProfile } from './load-profile.ts';
import { runReader } from './reader.ts';
import { createRequestRecords } from './request-records.ts';
import type { RequestRecords } from './request-records.ts';
import { seedCloud } from './seed-data.ts';
import { createPlayerClient } from './player-client.ts';
import type { PlayerClient } from './player-client.ts';
import { createSmallDisk } from './small-disk.ts';
import { createStopwatch, cpuWaitMs } from './stopwatch.ts';
import { createMeasuredClient } from './measured-client.ts';
import { createWrittenResources, runWriter } from './writer.ts';
import type { WrittenResource, WrittenResources } from './writer.ts';
import { freePort } from '../../../../../test/support/free-port.ts';

export interface HostileTrialOptions {
  /** The least time it lasts. */
  seconds: number;
  /** It lasts until each of these attacks had an effect: attackers, at low priority, get little time beside other tests. */
  attacks?: readonly string[];
  screens: number;
  seed: number;
  pressure: LoadProfile;
  /** Whether times and memory are checked, or only reported. */
  checksTimes: boolean;
  onProgress?: (facts: string) => void;
}

export interface HostileReport {
  seed: number;
  screens: number;
  seconds: number;
  records: RequestRecords;
  /** Activities of the attackers between two times. */
  activeAttacks: Attackers['activeAttacks'];
  attackers: Awaited<ReturnType<Attackers['stop']>>;
  fullDiskPeriods: readonly FullDiskPeriod[];
  /** Why the disk was never full; null when it was. */
  diskSkipReason: string | null;
  diskUsedMiB: number;
  /** Resident memory of the cloud without its media processes, once a second. */
  rssMiB: readonly number[];
  /** Share of the time in which the cloud waited for a CPU. */
  cpuStarvedPercent: number;
  eventLoopDelayMs: number;
  /** Number of resources acknowledged, and read back at the end and after a kill. */
  storedSummary: string;
  /** One sentence per violated pass criterion. */
  broken: string[];
}

/** Source address for the read-back at the end, because the usual address is throttled for wrong keys. */
const AUDIT_ADDRESS = '127.77.0.1';

/**
 * Steady clients use a cloud in its own process while attackers, with and without leaked keys, attack it and its disk is
 * filled repeatedly. Afterwards all acknowledged data is read back, and once more after a kill.
 */
export async function hostileTrial(options: HostileTrialOptions): Promise<HostileReport> {
  const { pressure, seed } = options;
  const random = createSeededRandom(seed);
  const disk = createSmallDisk(pressure.diskMiB);
  const settings = {
    dataDir: disk.dir,
    port: await freePort(),
    adminKey: makeAdminKey(),
    args: ['--min-free', '8MiB'],
  };
  let cloud = await startCloudProcess(settings);
  const client = fromAuditAddress(createHttpClient({ url: cloud.url }));
  const ring = createKeyRing({ client, adminKey: settings.adminKey });
  const api = createApi({ client, key: () => ring.take() });
  const eventLoopDelay = watchEventLoopDelay();
  const records = createRequestRecords();
  const start = createStopwatch({ eventLoopDelay, cloudPid: cloud.pid });
  const clients: HttpClient[] = [];
  /** Every steady client has its own connections, like a separate machine. */
  const createClient = () => {
    const own = createHttpClient({ url: cloud.url, timeoutMs: 90_000 });
    clients.push(own);
    return createMeasuredClient({ client: own, records, start });
  };
  const rssMiB: number[] = [];
  const rssTimer = setInterval(() => rssMiB.push((cloud.rssBytes() ?? 0) / 2 ** 20), 1_000);
  const fullDiskPeriods: FullDiskPeriod[] = [];
  const ending = new AbortController();
  let attackers: Attackers | null = null;
  const seedData = await seedCloud({ api, client, ring, screens: options.screens });
  const screens = seedData.screens.map((screen) =>
    createPlayerClient({
      ...seedData,
      ...screen,
      url: cloud.url,
      client: createClient(),
      records,
      start,
      random,
      pressure,
    }),
  );
  const written = createWrittenResources();
  const isReady = async () => (await client.sendRaw({ method: 'GET', path: '/readyz' })).status === 200;

  try {
    rssMiB.length = 0;
    const waitedMs = cpuWaitMs(cloud.pid);
    attackers = startAttackers({
      ...seedData.leakedSecrets,
      url: cloud.url,
      seed,
      pressure: pressure.attack,
    });
    const deviceIds = screens.map(({ deviceId }) => deviceId);
    const { signal } = ending;
    const { countedAttacks } = attackers;
    const running = Promise.all([
      ...screens.map((screen) => screen.run(signal)),
      runReader(
        {
          ...seedData,
          key: seedData.readKey,
          client: createClient(),
          random,
          everyMs: pressure.readMs,
          deviceIds,
        },
        signal,
      ),
      runWriter(
        {
          ...seedData,
          key: seedData.writeKey,
          client: createClient(),
          random,
          everyMs: pressure.writeMs,
          written,
        },
        signal,
      ),
      ...(disk.mountError === null ? [fillRepeatedly(disk, pressure, fullDiskPeriods, signal)] : []),
    ]);
    running.catch(() => {});
    const startMs = performance.now();
    const leftMs = () => startMs + options.seconds * 1000 - performance.now();
    const isMissingAttack = () => options.attacks?.some((attack) => !countedAttacks.has(attack)) ?? false;
    while ((leftMs() > 0 || isMissingAttack()) && !cloud.hasEnded) {
      await Promise.race([sleep(Math.min(Math.max(leftMs(), 500), 10_000)), running]);
      options.onProgress?.(
        `${Math.round((performance.now() - startMs) / 1000)} s: ${progressLine(records, rssMiB)}`,
      );
    }
    assert(!cloud.hasEnded, 'the cloud ended', cloud.recentOutput());
    const cpuStarvedPercent = ((cpuWaitMs(cloud.pid) - waitedMs) / (performance.now() - startMs)) * 100;
    ending.abort();
    await running;
    clearInterval(rssTimer);
    const attackResult = await attackers.stop();

    await waitFor('the cloud is ready again', isReady, 60_000);
    await waitFor(
      'every play is accepted',
      async () => (await Promise.all(screens.map((one) => one.flush()))).every(Boolean),
      120_000,
      500,
    );
    const closed = screens.filter((one) => !one.connected).length;
    for (const screen of screens) {
      screen.close();
    }
    const audit = () => readBack({ api, dataDir: disk.dir, key: () => ring.take(), written, screens });
    const before = await audit();
    await cloud.kill9();
    cloud = await startCloudProcess(settings);
    const after = await audit();
    return {
      seed,
      screens: screens.length,
      seconds: options.seconds,
      records,
      activeAttacks: attackers.activeAttacks,
      attackers: attackResult,
      fullDiskPeriods,
      diskSkipReason: disk.mountError,
      diskUsedMiB: Math.round(disk.usedBytes() / 2 ** 20),
      rssMiB,
      cpuStarvedPercent,
      eventLoopDelayMs: eventLoopDelay.longest,
      storedSummary: summarizeStored(written, screens),
      broken: [
        ...findUnexpectedFailures(records, fullDiskPeriods),
        ...(options.checksTimes ? [...findSlowRequests(records), ...findMemoryGrowth(rssMiB)] : []),
        ...attackResult.wrong.map((what) => `An attacker got a response that must never occur: ${what}.`),
        ...(closed > 0 ? [`${closed} devices have no socket at the end.`] : []),
        ...before,
        ...after.map((sentence) => `After a kill: ${sentence}`),
      ],
    };
  } finally {
    ending.abort();
    clearInterval(rssTimer);
    attackers?.kill();
    for (const screen of screens) {
      screen.close();
    }
    eventLoopDelay.stop();
    await Promise.all([client.close(), ...clients.map((one) => one.close())]);
    await cloud.kill9();
    disk.remove();
  }
}

/** The same client, from an address that is not used elsewhere. */
function fromAuditAddress(client: HttpClient): HttpClient {
  return {
    ...client,
    sendRaw: (call) => client.sendRaw({ from: AUDIT_ADDRESS, ...call }),
    send: (call) => client.send({ from: AUDIT_ADDRESS, ...call }),
  };
}

function progressLine({ kinds, failures }: RequestRecords, rssMiB: readonly number[]): string {
  const requests = [...kinds.values()].reduce((sum, { durationsMs }) => sum + durationsMs.length, 0);
  return `${requests} steady requests, ${failures.length} without success, ${Math.round(rssMiB.at(-1) ?? 0)} MiB`;
}

function summarizeStored(written: WrittenResources, screens: readonly PlayerClient[]): string {
  const sum = (count: (screen: PlayerClient) => number) => screens.reduce((all, one) => all + count(one), 0);
  const counts = Object.entries(written).map(
    ([what, held]: [string, Map<string, WrittenResource>]) =>
      `${[...held.values()].filter(({ state }) => state === 'there').length} of ${held.size} ${what}`,
  );
  return [
    ...counts,
    `${sum((one) => one.plays.size)} plays`,
    `${sum((one) => one.samples.acknowledged.size)} samples`,
  ].join(', ');
}
