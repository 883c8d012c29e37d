import { setTimeout as sleep } from 'node:timers/promises';
import { createApi } from '../support/api.ts';
import { must } from '../support/breach.ts';
import { createChance } from '../support/chance.ts';
import { createClient } from '../support/client.ts';
import type { Client } from '../support/client.ts';
import { freePort, makeAdminKey, startCloudProcess } from '../support/cloud-process.ts';
import { createKeyRing } from '../support/key-ring.ts';
import { waitFor } from '../support/wait-for.ts';
import { startAttackers } from './attackers.ts';
import type { Attackers } from './attackers.ts';
import { readBack } from './audit.ts';
import { fillAgainAndAgain } from './disk-cycles.ts';
import type { FullTime } from './disk-cycles.ts';
import { judgeMemory, judgeTimes, judgeTroubles } from './judge.ts';
import { watchOwnDelay } from './own-delay.ts';
import type { Pressure } from './pressure.ts';
import { readSteadily } from './reader.ts';
import { createRecords } from './records.ts';
import type { Records } from './records.ts';
import { furnish } from './scenery.ts';
import { createSteadyScreen } from './screens.ts';
import type { SteadyScreen } from './screens.ts';
import { createSmallDisk } from './small-disk.ts';
import { createStopwatch, waitedSoFar } from './stopwatch.ts';
import { createSteadyLine } from './steady-line.ts';
import { createPromises, writeSteadily } from './writer.ts';
import type { Promised, Promises } from './writer.ts';

export interface HostileTrial {
  seconds: number;
  screens: number;
  seed: number;
  pressure: Pressure;
  /** Whether times and memory are judged, or only told. */
  judgesTimes: boolean;
  onProgress?: (facts: string) => void;
}

export interface HostileReport {
  seed: number;
  screens: number;
  seconds: number;
  records: Records;
  /** What the hostile side was doing between two instants. */
  doing: Attackers['doing'];
  attackers: Awaited<ReturnType<Attackers['stop']>>;
  full: readonly FullTime[];
  /** Why the disk was never full; null when it was. */
  diskNotTried: string | null;
  diskUsedMiB: number;
  /** Resident memory of the cloud, without its processes for media, once a second. */
  rssMiB: readonly number[];
  /** Part of the time for which the cloud wanted a processor and had none. */
  starvedPercent: number;
  ownDelayMs: number;
  /** How much was acknowledged, and read back at the end and after a kill. */
  kept: string;
  /** A sentence for each promise that was not kept. */
  broken: string[];
}

/** Where the steady side asks from at the end, when its usual address has given too many wrong keys. */
const QUIET_ADDRESS = '127.77.0.1';

/**
 * Steady clients use a cloud in its own process while strangers and leaked keys do their worst to it, and its disk is
 * filled again and again. Afterwards all that was acknowledged is read back, and once more after a kill.
 */
export async function hostileTrial(options: HostileTrial): Promise<HostileReport> {
  const { pressure, seed } = options;
  const chance = createChance(seed);
  const disk = createSmallDisk(pressure.diskMiB);
  const settings = {
    dataDir: disk.dir,
    port: await freePort(),
    adminKey: makeAdminKey(),
    args: ['--min-free', '8MiB'],
  };
  let cloud = await startCloudProcess(settings);
  const client = fromQuiet(createClient({ url: cloud.url }));
  const ring = createKeyRing({ client, adminKey: settings.adminKey });
  const api = createApi({ client, key: () => ring.take() });
  const ownDelay = watchOwnDelay();
  const records = createRecords();
  const start = createStopwatch({ ownDelay, cloudPid: cloud.pid });
  const clients: Client[] = [];
  /** Every steady client has connections of its own, as if it was another machine. */
  const newLine = () => {
    const own = createClient({ url: cloud.url, timeoutMs: 90_000 });
    clients.push(own);
    return createSteadyLine({ client: own, records, start });
  };
  const rssMiB: number[] = [];
  const rssTimer = setInterval(() => rssMiB.push((cloud.rssBytes() ?? 0) / 2 ** 20), 1_000);
  const full: FullTime[] = [];
  const ending = new AbortController();
  let attackers: Attackers | null = null;
  const scenery = await furnish({ api, client, ring, screens: options.screens });
  const screens = scenery.screens.map((screen) =>
    createSteadyScreen({
      ...scenery,
      ...screen,
      url: cloud.url,
      line: newLine(),
      records,
      start,
      chance,
      pressure,
    }),
  );
  const promises = createPromises();
  const isReady = async () => (await client.raw({ method: 'GET', path: '/readyz' })).status === 200;

  try {
    rssMiB.length = 0;
    const waitedMs = waitedSoFar(cloud.pid);
    attackers = startAttackers({ ...scenery.leaked, url: cloud.url, seed, pressure: pressure.attack });
    const deviceIds = screens.map(({ deviceId }) => deviceId);
    const { signal } = ending;
    const running = Promise.all([
      ...screens.map((screen) => screen.run(signal)),
      readSteadily(
        { ...scenery, key: scenery.readKey, line: newLine(), chance, everyMs: pressure.readMs, deviceIds },
        signal,
      ),
      writeSteadily(
        { ...scenery, key: scenery.writeKey, line: newLine(), chance, everyMs: pressure.writeMs, promises },
        signal,
      ),
      ...(disk.notMounted === null ? [fillAgainAndAgain(disk, pressure, full, signal)] : []),
    ]);
    running.catch(() => {});
    const startMs = performance.now();
    const leftMs = () => startMs + options.seconds * 1000 - performance.now();
    while (leftMs() > 0 && !cloud.ended) {
      await Promise.race([sleep(Math.min(leftMs(), 10_000)), running]);
      options.onProgress?.(
        `${Math.round((performance.now() - startMs) / 1000)} s: ${facts(records, rssMiB)}`,
      );
    }
    must(!cloud.ended, 'the cloud ended', cloud.tail());
    const starvedPercent = ((waitedSoFar(cloud.pid) - waitedMs) / (performance.now() - startMs)) * 100;
    ending.abort();
    await running;
    clearInterval(rssTimer);
    const over = await attackers.stop();

    await waitFor('the cloud is ready again', isReady, 60_000);
    await waitFor(
      'every play is taken',
      async () => (await Promise.all(screens.map((one) => one.flush()))).every(Boolean),
      120_000,
      500,
    );
    const closed = screens.filter((one) => !one.connected).length;
    for (const screen of screens) screen.close();
    const audit = () => readBack({ api, dataDir: disk.dir, key: () => ring.take(), promises, screens });
    const before = await audit();
    await cloud.kill9();
    cloud = await startCloudProcess(settings);
    const after = await audit();
    return {
      seed,
      screens: screens.length,
      seconds: options.seconds,
      records,
      doing: attackers.doing,
      attackers: over,
      full,
      diskNotTried: disk.notMounted,
      diskUsedMiB: Math.round(disk.usedBytes() / 2 ** 20),
      rssMiB,
      starvedPercent,
      ownDelayMs: ownDelay.most,
      kept: keptOf(promises, screens),
      broken: [
        ...judgeTroubles(records, full),
        ...(options.judgesTimes ? [...judgeTimes(records), ...judgeMemory(rssMiB)] : []),
        ...over.wrong.map((what) => `A hostile client got a wrong answer: ${what}.`),
        ...(closed > 0 ? [`${closed} screens are without their socket at the end.`] : []),
        ...before,
        ...after.map((sentence) => `After a kill: ${sentence}`),
      ],
    };
  } finally {
    ending.abort();
    clearInterval(rssTimer);
    attackers?.kill();
    for (const screen of screens) screen.close();
    ownDelay.stop();
    await Promise.all([client.close(), ...clients.map((one) => one.close())]);
    await cloud.kill9();
    disk.remove();
  }
}

/** The same client, from an address that nobody else has. */
function fromQuiet(client: Client): Client {
  return {
    ...client,
    raw: (call) => client.raw({ from: QUIET_ADDRESS, ...call }),
    send: (call) => client.send({ from: QUIET_ADDRESS, ...call }),
  };
}

function facts({ kinds, troubles }: Records, rssMiB: readonly number[]): string {
  const requests = [...kinds.values()].reduce((sum, { tookMs }) => sum + tookMs.length, 0);
  return `${requests} steady requests, ${troubles.length} without success, ${Math.round(rssMiB.at(-1) ?? 0)} MiB`;
}

function keptOf(promises: Promises, screens: readonly SteadyScreen[]): string {
  const sum = (count: (screen: SteadyScreen) => number) => screens.reduce((all, one) => all + count(one), 0);
  const counts = Object.entries(promises).map(
    ([what, held]: [string, Map<string, Promised>]) =>
      `${[...held.values()].filter(({ is }) => is === 'there').length} of ${held.size} ${what}`,
  );
  return [
    ...counts,
    `${sum((one) => one.plays.size)} plays`,
    `${sum((one) => one.samples.told.size)} samples`,
  ].join(', ');
}
