import { expect, test } from 'vitest';
import { createManifestBuilder } from './manifest-builder.ts';
import { createScheduleEvaluator } from './schedule-evaluator.ts';
import { contentOf } from '../../test/support/manifest-content.ts';
import type { ManifestInputs } from '../../test/support/manifest-content.ts';
import { createZoneTableCache } from './zone-table.ts';

const hash = (text: string) => text;

test('a table is constant all year and covers the day before it to the end of two years later', () => {
  const tables = createZoneTableCache('2026c');
  const first = tables.tableOf('Europe/Berlin', Date.UTC(2026, 0, 1));
  expect(tables.tableOf('Europe/Berlin', Date.UTC(2026, 11, 31, 23, 59))).toEqual(first);
  expect(first).toMatchObject({
    version: '2026c',
    zones: {
      'Europe/Berlin': {
        from: '2025-12-31T00:00:00.000Z',
        until: '2029-01-01T00:00:00.000Z',
        offset: 3600,
      },
    },
  });
  expect(tables.tableOf('Europe/Berlin', Date.UTC(2027, 0, 1))).not.toEqual(first);
  expect(tables.findZone('Mars/Olympus', Date.UTC(2027, 0, 1))).toBeNull();
  expect(Object.keys(tables.tableOf('Asia/Tokyo', Date.UTC(2027, 0, 1)).zones)).toEqual(['Asia/Tokyo']);
});

test('the cloud evaluates schedules with the zone tables that it sends to players', () => {
  const rule = {
    id: 'rule_1',
    playlist_id: 'pl_1',
    start_time: '12:00',
    end_time: '13:00',
    days: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const,
    rrule: null,
    priority: 0,
    starts_on: null,
    ends_on: null,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  };
  const zone = {
    from: '2026-01-01T00:00:00.000Z',
    until: '2029-01-01T00:00:00.000Z',
    offset: 3600,
    transitions: [],
  };
  const inputs: ManifestInputs = {
    timezone: 'Europe/Berlin',
    timezones: { version: '2026z', zones: { 'Europe/Berlin': zone } },
    mediaHosts: [],
    inactiveSchedules: [],
    schedules: [
      {
        id: 'sch_1',
        name: 'Noon',
        targets: [{ type: 'device', id: 'dev_1' }],
        rules: [{ ...rule, days: [...rule.days] }],
      },
    ],
    playlists: new Map(),
    assets: new Map(),
    deploymentByTarget: new Map(),
  };
  const device = { id: 'dev_1', store_id: null, tags: [] };
  const manifests = createManifestBuilder(contentOf(inputs, hash), hash);
  // Without daylight saving time, which the real Berlin has in July.
  const at = (hour: number) =>
    createScheduleEvaluator().evaluate(manifests, device, Date.UTC(2026, 6, 1, hour, 30));
  expect([at(10).playlist_id, at(11).playlist_id]).toEqual([null, 'pl_1']);
});
