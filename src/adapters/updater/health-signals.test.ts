import { expect, test } from 'vitest';
import { isHealthy } from '../../core/update/version-health.ts';
import { readHealthSignals } from './health-signals.ts';

const status = {
  connection: 'online',
  faults: [],
  now_playing: null as object | null,
  playing_because: { source: 'none' },
};
const healthy = (more: Partial<typeof status>, pageDraws = true) =>
  isHealthy(readHealthSignals({ ...status, ...more }, pageDraws));

test('a drawing page is enough when there is nothing to show, as on an unpaired device', () => {
  expect(healthy({})).toBe(true);
  expect(healthy({}, false)).toBe(false);
});

test('when there is something to show, it has to be on the screen', () => {
  expect(healthy({ playing_because: { source: 'schedule' } })).toBe(false);
  expect(healthy({ playing_because: { source: 'schedule' }, now_playing: { item_id: 'item_1' } })).toBe(true);
});

test('a status that cannot be parsed is not healthy', () => {
  expect(isHealthy(readHealthSignals({}, true))).toBe(false);
});
