import { afterAll, beforeAll, expect, test } from 'vitest';
import { runDoctor } from '../src/cli/doctor.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { pairDevice } from './support/paired-device.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

test('the manifest contains the offsets of its time zone and the hosts of its files', async () => {
  await cloud.admin.patch('/v1/organization', { timezone: 'Europe/Berlin' });
  const screen = await pairDevice(cloud);
  const manifest = (await screen.client.get('/v1/player/manifest')).data;
  expect(manifest.media_hosts).toEqual([new URL(cloud.cloud.publicUrl).host]);
  const { version, zones } = manifest.timezones;
  expect(version).toBe(process.versions.tz);
  const zone = zones['Europe/Berlin'];
  const nowMs = cloud.clock.nowMs();
  expect(Date.parse(zone.from)).toBeLessThanOrEqual(nowMs - DAY_MS);
  expect(Date.parse(zone.until)).toBeGreaterThanOrEqual(nowMs + 2 * 365 * DAY_MS);
  expect(zone.offset).toBe(3600);
  const year = new Date(nowMs).getUTCFullYear();
  const changes: { at: string; offset: number }[] = zone.transitions;
  expect(changes.filter(({ at }) => at.startsWith(`${year}`)).map(({ offset }) => offset)).toEqual([
    7200, 3600,
  ]);
});

test('in a new year the manifests cover one more year, and are otherwise unchanged', async () => {
  const screen = await pairDevice(cloud);
  const manifest = async () => (await screen.client.get('/v1/player/manifest')).data;
  const before = await manifest();
  await cloud.restart(DAY_MS);
  expect((await manifest()).revision).toBe(before.revision);
  await cloud.restart(365 * DAY_MS);
  const next = await manifest();
  const year = new Date(cloud.clock.nowMs()).getUTCFullYear();
  expect(next.timezones.zones['Europe/Berlin'].until).toBe(`${year + 3}-01-01T00:00:00.000Z`);
  expect(next.revision).not.toBe(before.revision);
});

test('/readyz and doctor report the version of the time zone data', async () => {
  const ready: unknown = await (await fetch(`${cloud.cloud.url}/readyz`)).json();
  expect(ready).toMatchObject({ time_zone_data: process.versions.tz });
  const findings = await runDoctor(cloud.dataDir, cloud.clock.nowMs(), { database: cloud.database });
  expect(findings.find(({ check }) => check === 'zones')?.message).toContain(process.versions.tz);
});
