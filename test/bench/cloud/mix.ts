/**
 * A hundred thousand screens in ordinary operation: each sends a heartbeat a minute, some report plays, somebody reads
 * and somebody edits. `npm run bench:mix`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from '../figures.ts';
import { median } from '../median.ts';
import type { Settings } from '../settings.ts';
import { createAgents, createCalls, prepareEdits } from './everyday-calls.ts';
import { startFleet } from './fleet.ts';
import { writeSamples } from './fleet-history.ts';
import { createLoopDelayProbe } from './loop-delay.ts';
import { createPace } from './pace.ts';
import { startPacedReader } from './paced-reader.ts';
import { cpuMicros } from './servers.ts';

const DEVICES = 100_000;
/** Usually; a shorter run says nothing of memory. */
const DURATION_MS = 600_000;
const HEARTBEATS_PER_DEVICE = 1 / 60;
const PLAYS_PER_SECOND = 50;
const READS_PER_SECOND = 20;
const EDITS_PER_SECOND = 1;
/** Connections of all heartbeats and plays: a screen keeps one open, but so many do not fit into one client. */
const CONNECTIONS = 128;
const RSS_INTERVAL_MS = 250;
const QUARTERS = 4;
/** With more calls of a kind unanswered, those that are due are not made, so that the client does not run out of memory. */
const LIMIT = { maxWaiting: 2_000 };

export async function measureMix(settings: Settings): Promise<Figure[]> {
  const loop = createLoopDelayProbe();
  const fleet = await startFleet(settings.count(DEVICES), writeSamples, loop.env);
  const agents = createAgents(CONNECTIONS);
  const reads = startPacedReader({
    urls: [fleet.cloud.url],
    deviceIds: fleet.devices.map(({ id }) => id),
    readKeys: fleet.readKeys,
    perSecond: READS_PER_SECOND,
    ...LIMIT,
  });
  try {
    const { cloud, devices } = fleet;
    const edits = await prepareEdits({ ...fleet, clouds: [cloud] });
    const calls = createCalls({ ...fleet, urls: [cloud.url] }, agents);
    const rssMb: number[] = [];
    const ms = settings.msOf(DURATION_MS);
    const heartbeats = createPace(devices.length * HEARTBEATS_PER_DEVICE, calls.sendHeartbeat, LIMIT);
    const plays = createPace(PLAYS_PER_SECOND, calls.sendPlay, LIMIT);
    const editing = createPace(EDITS_PER_SECOND, edits, { maxWaiting: 1 });
    // Statements, caches and the compiler are warm before anything counts.
    await runAll([heartbeats, plays, reads], ms / 10);

    // What was measured during the warm-up does not count.
    await loop.take(cloud.pid);
    const beganMs = performance.now();
    const beganMicros = cpuMicros(cloud.pid);
    const watch = new AbortController();
    const watching = watchRss(() => cloud.rssBytes(), rssMb, watch.signal);
    const [heartbeat, play, read, edit] = await runAll([heartbeats, plays, reads, editing], ms);
    const cores = (cpuMicros(cloud.pid) - beganMicros) / 1000 / (performance.now() - beganMs);
    watch.abort();
    await watching;
    const delays = await loop.take(cloud.pid);
    const quarters = Array.from({ length: QUARTERS }, (_, index) =>
      median(
        rssMb.slice((index * rssMb.length) / QUARTERS, Math.max(1, ((index + 1) * rssMb.length) / QUARTERS)),
      ),
    );
    const wanted = devices.length * HEARTBEATS_PER_DEVICE;
    return [
      {
        name: `${devices.length.toLocaleString('en')} screens for ${(ms / 1000).toLocaleString('en')} s: server CPU`,
        ours: 100 * cores,
        unit: '% of a core',
        limit: null,
        goal: 60,
      },
      {
        name: '… heartbeats answered',
        ours: heartbeat!.perSecond,
        unit: '/s',
        limit: { name: 'wanted', value: wanted },
        goal: 0.99,
        isMoreBetter: true,
        detail: `plays ${play!.perSecond.toFixed(0)}, reads ${read!.perSecond.toFixed(0)}, edits ${edit!.perSecond.toFixed(1)} /s`,
      },
      { name: '… p99 of a reader', ours: read!.p99Ms, unit: 'ms', limit: null, goal: 30 },
      { name: '… p99 of a heartbeat', ours: heartbeat!.p99Ms, unit: 'ms', limit: null, goal: null },
      {
        name: '… longest turn of the event loop',
        ours: delays.longestMs,
        unit: 'ms',
        limit: null,
        goal: null,
        detail: `999 of 1,000 within ${delays.p999Ms.toFixed(1)} ms`,
      },
      { name: '… median of an edit', ours: edit!.medianMs, unit: 'ms', limit: null, goal: 30 },
      {
        name: '… memory in the last quarter',
        ours: quarters.at(-1)!,
        unit: 'MB',
        limit: { name: 'in the second', value: quarters[1]! },
        goal: 1.05,
        detail: `quarters ${quarters.map((mb) => mb.toFixed(0)).join(', ')}`,
      },
    ];
  } finally {
    await reads.stop();
    await agents.destroy();
    await fleet.stop();
  }
}

type Pace = Pick<ReturnType<typeof createPace>, 'run'>;
const runAll = (paces: readonly Pace[], ms: number) => Promise.all(paces.map((pace) => pace.run(ms)));

async function watchRss(read: () => number | null, into: number[], signal: AbortSignal): Promise<void> {
  do {
    into.push((read() ?? Number.NaN) / 1e6);
    await sleep(RSS_INTERVAL_MS, null, { signal }).catch(() => {});
  } while (!signal.aborted);
}
