import { expect, test } from 'vitest';
import { rule, sketchManifest } from '../../../test/support/manifests.ts';
import { activeNow, programmeOf } from './programme.ts';

const SKETCH = {
  timezone: 'Europe/Berlin',
  playlists: { day: ['a'], noon: ['b'] },
  rules: [rule('rule_1', 'noon', '12:00', '13:00')],
};
const noon = Date.UTC(2026, 6, 1, 10, 30);

test('the clocks of the manifest go before those of this box', () => {
  const manifest = sketchManifest(SKETCH);
  expect(activeNow(programmeOf(manifest), noon).playlistId).toBe('noon');
  const zone = {
    from: '2026-06-01T00:00:00.000Z',
    until: '2028-06-01T00:00:00.000Z',
    offset: 3600,
    transitions: [],
  };
  const timezones = { version: '2026z', zones: { 'Europe/Berlin': zone } };
  const told = programmeOf({ ...manifest, timezones });
  expect(activeNow(told, noon).playlistId).toBe('day');
  expect(activeNow(told, noon + 3_600_000).playlistId).toBe('noon');
});

test('in a zone that nobody here knows the times are read as UTC, and that is told', () => {
  const programme = programmeOf(sketchManifest({ ...SKETCH, timezone: 'Mars/Olympus' }));
  expect(activeNow(programme, Date.UTC(2026, 6, 1, 12, 30)).playlistId).toBe('noon');
  expect(programme.unknown).toEqual(['organization.timezone: Mars/Olympus']);
});

test('a rule that cannot be read is told, and the others hold', () => {
  const rules = [
    ...SKETCH.rules,
    rule('rule_2', 'day', '00:00', '24:00', { days: null, rrule: 'FREQ=LUNAR' }),
  ];
  const programme = programmeOf(sketchManifest({ ...SKETCH, rules }));
  expect(activeNow(programme, noon).playlistId).toBe('noon');
  expect(programme.unknown).toEqual([
    'schedules.rules rule_2: FREQ is "LUNAR"; use DAILY, WEEKLY, MONTHLY or YEARLY.',
  ]);
});
