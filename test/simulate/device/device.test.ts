import { Fault } from '@placard/protocol';
import type { HeartbeatRequest, Play } from '@placard/protocol';
import { Agent } from 'undici';
import { expect, test } from 'vitest';
import type { CloudLink, DeviceLink } from '../../../src/core/ports.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import type { LedgerEntry } from '../ledger/entries.ts';
import { UNDISTURBED } from '../pattern.ts';
import type { DevicePattern, Disturbance } from '../pattern.ts';
import { createFigures } from '../report/figures.ts';
import { createSimulatedDevice } from './device.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2026, 10, 20, 12);

/** A device without a socket, on a manual clock, and a cloud that answers or not. */
function startDevice(pattern: DevicePattern) {
  const clock = createManualClock(START_MS);
  const heartbeats: { atMs: number; request: HeartbeatRequest }[] = [];
  const plays: { atMs: number; plays: readonly Play[] }[] = [];
  const ledger: LedgerEntry[] = [];
  const cloud = { isReachable: true, isRemoved: false };
  const answer = () => {
    if (!cloud.isReachable) {
      throw new Fault('cloud.unreachable', 'later', { reason: 'ECONNREFUSED' });
    }
  };
  const link: DeviceLink = {
    fetchManifest: () => Promise.resolve({ kind: 'unchanged' }),
    async sendHeartbeat(request) {
      heartbeats.push({ atMs: clock.wallMs(), request });
      answer();
      if (cloud.isRemoved) {
        return { kind: 'unpaired' };
      }
      const response = { server_time: '', manifest_revision: 'r', commands: [], next_heartbeat_in: 60 };
      return { kind: 'ok', response };
    },
    async sendPlays(sent) {
      plays.push({ atMs: clock.wallMs(), plays: sent });
      answer();
      return { kind: 'ok', response: { accepted: sent.map(({ id }) => id), rejected: [] } };
    },
    reportCommandStatus: () => Promise.resolve({ kind: 'ok' }),
    sendScreenshot: () => Promise.reject(new Error('not used')),
    sendLogs: () => Promise.reject(new Error('not used')),
    answerLive: () => Promise.reject(new Error('not used')),
    sendCapabilities: () => Promise.reject(new Error('not used')),
    openSocket: () => Promise.reject(new Error('not used')),
  };
  const cloudLink: CloudLink = {
    startPairing: () => Promise.reject(new Error('not used')),
    pollPairing: () => Promise.reject(new Error('not used')),
    probe: () => Promise.reject(new Error('not used')),
    createDeviceLink: () => link,
  };
  const unpaired: number[] = [];
  const figures = createFigures();
  const device = createSimulatedDevice({
    identity: { number: 3, id: 'dev_3', token: 't' },
    servers: [{ url: 'http://cloud.test', link: cloudLink, agent: new Agent() }],
    localAddress: undefined,
    clock,
    settings: { heartbeatMs: null, playMs: MINUTE_MS, media: 'none' },
    hasSocket: false,
    pattern,
    seed: 1,
    startAfterMs: 0,
    ledger: { write: (entry) => void ledger.push(entry), close: () => {} },
    figures,
    onUnpaired: (number) => void unpaired.push(number),
  });
  return { clock, heartbeats, plays, ledger, cloud, device, figures, unpaired, ended: device.run() };
}

const patternOf = (...disturbances: { afterMs: number; disturbance: Disturbance }[]): DevicePattern => ({
  ...UNDISTURBED,
  next: () => disturbances.shift() ?? UNDISTURBED.next(),
});
const since = (ms: number) => ms - START_MS;
const measuredAt = (request: HeartbeatRequest) => request.samples.map((one) => Date.parse(one.measured_at));

test('sends what was not acknowledged again, with the same times and ids', async () => {
  const { clock, heartbeats, plays, cloud, ledger, device, ended } = startDevice(UNDISTURBED);
  await clock.advance(90_000);
  cloud.isReachable = false;
  const before = heartbeats.length;
  await clock.advance(4 * MINUTE_MS);
  const failed = heartbeats.slice(before).map(({ request }) => measuredAt(request).at(-1));
  const tried = plays.at(-1)!.plays.map(({ id }) => id);
  cloud.isReachable = true;
  await clock.advance(2 * MINUTE_MS);
  const next = heartbeats[before + failed.length]!;
  expect(measuredAt(next.request)).toEqual([...failed, next.atMs]);
  expect(
    plays
      .at(-1)!
      .plays.map(({ id }) => id)
      .some((id) => tried.includes(id)),
  ).toBe(false);
  const acknowledged = ledger.filter((entry) => entry[0] === 'plays').flatMap((entry) => entry[2]);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(acknowledged).toEqual(expect.arrayContaining(tried));
  const samples = ledger.filter((entry) => entry[0] === 'samples').flatMap((entry) => entry[2]);
  expect(samples).toEqual(expect.arrayContaining(failed));
  device.stop();
  await ended;
});

test('is off during a reboot, and has the clock that it was given', async () => {
  const pattern = patternOf(
    { afterMs: 10_000, disturbance: { kind: 'clock', offsetMs: -3_600_000 } },
    { afterMs: 60_000, disturbance: { kind: 'reboot', offMs: 5 * MINUTE_MS } },
  );
  const { clock, heartbeats, device, ended, figures } = startDevice(pattern);
  await clock.advance(10 * MINUTE_MS);
  device.stop();
  await ended;
  expect(since(heartbeats[1]!.atMs)).toBeLessThanOrEqual(MINUTE_MS);
  expect(heartbeats[1]!.atMs - measuredAt(heartbeats[1]!.request)[0]!).toBe(3_600_000);
  expect(since(heartbeats[2]!.atMs)).toBe(70_000 + 5 * MINUTE_MS);
  expect(heartbeats[2]!.request.state.uptime_seconds).toBe(0);
  expect(figures.take()).toMatchObject({ disturbances: { clock: 1, reboot: 1 }, errors: {} });
});

test('brings what it did during a day without a connection', async () => {
  const { clock, ledger, device, ended } = startDevice({ ...UNDISTURBED, offlineMs: 86_400_000 });
  await clock.advance(30_000);
  device.stop();
  await ended;
  const keysOf = (kind: 'samples' | 'plays') =>
    ledger.flatMap((entry) => (entry[0] === kind ? (entry[2] as (number | string)[]) : []));
  expect(new Set(keysOf('samples')).size).toBe(1_441);
  expect(new Set(keysOf('plays')).size).toBe(1_440);
});

test('ends when the cloud has removed it', async () => {
  const { clock, cloud, ledger, unpaired, ended } = startDevice(UNDISTURBED);
  cloud.isRemoved = true;
  await clock.advance(MINUTE_MS);
  await ended;
  expect(unpaired).toEqual([3]);
  expect(ledger.at(-1)).toEqual(['unpaired', 3]);
});
