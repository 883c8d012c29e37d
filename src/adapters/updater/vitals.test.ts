import { expect, test } from 'vitest';
import { isHealthy } from '../../core/update/health.ts';
import { vitalsOf } from './vitals.ts';

const status = {
  connection: 'online',
  faults: [],
  now_playing: null as object | null,
  playing_because: { source: 'none' },
};
const healthy = (more: Partial<typeof status>, pageDraws = true) =>
  isHealthy(vitalsOf({ ...status, ...more }, pageDraws));

test('a page that draws is enough where nothing is to be shown, as on a box that is not paired', () => {
  expect(healthy({})).toBe(true);
  expect(healthy({}, false)).toBe(false);
});

test('where something is to be shown, it has to be on the screen', () => {
  expect(healthy({ playing_because: { source: 'schedule' } })).toBe(false);
  expect(healthy({ playing_because: { source: 'schedule' }, now_playing: { item_id: 'item_1' } })).toBe(true);
});

test('a status that cannot be read is not healthy', () => {
  expect(isHealthy(vitalsOf({}, true))).toBe(false);
});
