import { expect, test } from 'vitest';
import { rule, buildManifest } from '../../../test/support/manifests.ts';
import { activePlaylistAt, compileManifest } from './compiled-manifest.ts';

const SKETCH = {
  timezone: 'Europe/Berlin',
  playlists: { day: ['a'], noon: ['b'] },
  rules: [rule('rule_1', 'noon', '12:00', '13:00')],
};
const noon = Date.UTC(2026, 6, 1, 10, 30);

test('the time zones of the manifest have precedence over those of the runtime', () => {
  const manifest = buildManifest(SKETCH);
  expect(activePlaylistAt(compileManifest(manifest), noon).playlistId).toBe('noon');
  const zone = {
    from: '2026-06-01T00:00:00.000Z',
    until: '2028-06-01T00:00:00.000Z',
    offset: 3600,
    transitions: [],
  };
  const timezones = { version: '2026z', zones: { 'Europe/Berlin': zone } };
  const withOwnZone = compileManifest({ ...manifest, timezones });
  expect(activePlaylistAt(withOwnZone, noon).playlistId).toBe('day');
  expect(activePlaylistAt(withOwnZone, noon + 3_600_000).playlistId).toBe('noon');
});

test('in an unknown zone times are read as UTC, and the zone is reported', () => {
  const compiledManifest = compileManifest(buildManifest({ ...SKETCH, timezone: 'Mars/Olympus' }));
  expect(activePlaylistAt(compiledManifest, Date.UTC(2026, 6, 1, 12, 30)).playlistId).toBe('noon');
  expect(compiledManifest.skippedParts).toEqual(['organization.timezone: Mars/Olympus']);
});

test('a rule with local_time is read in the zone of the store, and an unknown one is reported', () => {
  const rules = [rule('rule_1', 'noon', '12:00', '13:00', { local_time: true })];
  const manifest = buildManifest({ ...SKETCH, rules });
  const shownAt = (local_timezone: string | null, at: string) =>
    activePlaylistAt(compileManifest({ ...manifest, local_timezone }), Date.parse(at)).playlistId;
  expect(shownAt('Asia/Tokyo', '2026-07-01T12:30+09:00')).toBe('noon');
  expect(shownAt('Asia/Tokyo', '2026-07-01T12:30+02:00')).toBe('day');
  expect(shownAt(null, '2026-07-01T12:30+02:00')).toBe('noon');
  expect(shownAt('Mars/Olympus', '2026-07-01T12:30+02:00')).toBe('noon');
  expect(compileManifest({ ...manifest, local_timezone: 'Mars/Olympus' }).skippedParts).toEqual([
    'local_timezone: Mars/Olympus',
  ]);
  const nowhere = { ...manifest, organization: { timezone: 'Mars/Olympus' }, local_timezone: 'Mars/Phobos' };
  expect(compileManifest(nowhere).skippedParts).toEqual([
    'organization.timezone: Mars/Olympus',
    'local_timezone: Mars/Phobos',
  ]);
});

test('an invalid rule is reported, and the others apply', () => {
  const rules = [
    ...SKETCH.rules,
    rule('rule_2', 'day', '00:00', '24:00', { days: null, rrule: 'FREQ=LUNAR' }),
  ];
  const compiledManifest = compileManifest(buildManifest({ ...SKETCH, rules }));
  expect(activePlaylistAt(compiledManifest, noon).playlistId).toBe('noon');
  expect(compiledManifest.skippedParts).toEqual([
    'schedules.rules rule_2: FREQ is "LUNAR"; use DAILY, WEEKLY, MONTHLY or YEARLY.',
  ]);
});
