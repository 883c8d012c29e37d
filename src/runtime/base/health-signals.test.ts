import { expect, test } from 'vitest';
import { isHealthy } from '../../core/update/version-health.ts';
import { readHealthSignals } from './health-signals.ts';

const online = { connection: 'online', activePlaylist: null, current: null } as const;
const scheduled = { ...online, activePlaylist: { source: 'schedule' } } as const;
const healthy = (fields: Parameters<typeof readHealthSignals>[0]['fields'], isPageDrawing = true) =>
  isHealthy(readHealthSignals({ fields, faults: () => [] }, isPageDrawing));

test('a drawing page is enough when there is nothing to show, as on an unpaired device', () => {
  expect(healthy(online)).toBe(true);
  expect(healthy(online, false)).toBe(false);
});

test('when there is something to show, it has to be on the screen', () => {
  expect(healthy(scheduled)).toBe(false);
  expect(healthy({ ...scheduled, current: {} })).toBe(true);
});
