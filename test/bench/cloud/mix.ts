/**
 * A hundred thousand screens in ordinary operation: each sends a heartbeat a minute, some report plays, somebody reads
 * and somebody edits. `npm run bench:mix -- --seconds 600` is the real one.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { heartbeatRequest, makeId } from '@placard/protocol';
import { playerOperations } from '@placard/protocol/api';
import { Agent } from 'undici';
import { buildPlay } from '../../../packages/cloud/test/trials/support/paired-device.ts';
import type { Figure } from '../figures.ts';
import { median } from '../median.ts';
import type { Settings } from '../settings.ts';
import { deployPlaylist } from './deployed-playlist.ts';
import { EVERY_TAG, HUNDRED_TAG, startFleet } from './fleet.ts';
import type { Fleet } from './fleet.ts';
import { createPace } from './pace.ts';
import { cpuMicros } from './servers.ts';

const DEVICES = 100_000;
const HEARTBEATS_PER_DEVICE = 1 / 60;
const PLAYS_PER_SECOND = 50;
const READS_PER_SECOND = 20;
const EDITS_PER_SECOND = 1;
/** Every tenth edit concerns all devices, the others a hundred. */
const EDITS_OF_ALL = 10;
/** Connections of all heartbeats and plays: a screen keeps one open, but so many do not fit into one client. */
const CONNECTIONS = 128;
const RSS_INTERVAL_MS = 250;
const QUARTERS = 4;
/** Heartbeats that are let go unanswered before the client gives up pacing, so that it does not run out of memory. */
const MAX_WAITING = 2_000;

export async function measureMix(settings: Settings): Promise<Figure[]> {
  const fleet = await startFleet(settings.count(DEVICES));
  const agent = new Agent({ connections: CONNECTIONS });
  try {
    const { cloud, devices } = fleet;
    const edits = await prepareEdits(fleet);
    const calls = createCalls(fleet, agent);
    const rssMb: number[] = [];
    const { ms } = settings;
    const limit = { maxWaiting: MAX_WAITING };
    const heartbeats = createPace(devices.length * HEARTBEATS_PER_DEVICE, calls.sendHeartbeat, limit);
    const plays = createPace(PLAYS_PER_SECOND, calls.sendPlay, limit);
    const reads = createPace(READS_PER_SECOND, calls.read, limit);
    const editing = createPace(EDITS_PER_SECOND, edits, { maxWaiting: 1 });
    // Statements, caches and the compiler are warm before anything counts.
    await runAll([heartbeats, plays, reads], ms / 10);

    const beganMs = performance.now();
    const beganMicros = cpuMicros(cloud.pid);
    const watch = new AbortController();
    const watching = watchRss(() => cloud.rssBytes(), rssMb, watch.signal);
    const [heartbeat, play, read, edit] = await runAll([heartbeats, plays, reads, editing], ms);
    const cores = (cpuMicros(cloud.pid) - beganMicros) / 1000 / (performance.now() - beganMs);
    watch.abort();
    await watching;
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
    await agent.destroy();
    await fleet.stop();
  }
}

type Pace = ReturnType<typeof createPace>;
const runAll = (paces: readonly Pace[], ms: number) => Promise.all(paces.map((pace) => pace.run(ms)));

async function watchRss(read: () => number | null, into: number[], signal: AbortSignal): Promise<void> {
  do {
    into.push((read() ?? Number.NaN) / 1e6);
    await sleep(RSS_INTERVAL_MS, null, { signal }).catch(() => {});
  } while (!signal.aborted);
}

/** Changes playlists in turn, with keys in turn, because each has a rate limit. */
async function prepareEdits({ cloud, writeKeys }: Fleet): Promise<() => Promise<void>> {
  const all = await deployPlaylist(cloud, EVERY_TAG);
  const hundred = await deployPlaylist(cloud, HUNDRED_TAG);
  let turn = 0;
  return async () => {
    const edit = turn % EDITS_OF_ALL === 0 ? all : hundred;
    await edit(10 + (turn % 1_000), writeKeys[turn % writeKeys.length]);
    turn += 1;
  };
}

function createCalls({ cloud, devices, readKeys }: Fleet, agent: Agent) {
  const {
    samples: [sample],
    state,
  } = heartbeatRequest.parse(playerOperations.sendHeartbeats.example.body);
  const contentId = makeId('asset', Date.now(), randomBytes(16));
  let heartbeatTurn = 0;
  let playTurn = 0;
  let readTurn = 0;

  async function call(method: 'GET' | 'POST', path: string, token: string, body?: object): Promise<void> {
    const response = await agent.request({
      origin: cloud.url,
      method,
      path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) {
      throw new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`);
    }
  }

  return {
    sendHeartbeat: async () => {
      const { token } = devices[heartbeatTurn++ % devices.length]!;
      const samples = [{ ...sample, measured_at: new Date().toISOString() }];
      await call('POST', '/v1/player/heartbeats', token, { samples, state });
    },
    sendPlay: async () => {
      const { token } = devices[playTurn++ % devices.length]!;
      const nowMs = Date.now();
      const plays = [buildPlay(makeId('play', nowMs, randomBytes(16)), contentId, nowMs - 10_000)];
      await call('POST', '/v1/player/plays', token, { plays });
    },
    read: async () => {
      const key = readKeys[readTurn % readKeys.length]!;
      const one = `/v1/devices/${devices[readTurn % devices.length]!.id}`;
      await call('GET', readTurn++ % 2 === 0 ? one : '/v1/devices?limit=100', key);
    },
  };
}
