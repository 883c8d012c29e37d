import { compileSchedules } from '@placard/schedule';
import { expect, test } from 'vitest';
import { createScheduleCompiler } from './compiled-schedules.ts';
import type { World } from './manifest.ts';

const worldIn = (timezone: string): World => ({
  timezone,
  switchedOff: [],
  timezones: { version: '2026c', zones: {} },
  mediaHosts: [],
  schedules: [],
  playlists: new Map(),
  assets: new Map(),
  deployed: new Map(),
});

test('the schedules of a world are compiled once, and anew as soon as it is another one', () => {
  const compiled: string[] = [];
  const of = createScheduleCompiler((world) => {
    compiled.push(world.timezone);
    return compileSchedules(world);
  });
  const [berlin, tokyo] = [worldIn('Europe/Berlin'), worldIn('Asia/Tokyo')];
  const first = of(berlin);
  expect(of(berlin)).toBe(first);
  expect(compiled).toEqual(['Europe/Berlin']);
  expect(of(tokyo)).not.toBe(first);
  expect(compiled).toEqual(['Europe/Berlin', 'Asia/Tokyo']);
  of(berlin);
  expect(compiled, 'only the last one is kept').toEqual(['Europe/Berlin', 'Asia/Tokyo', 'Europe/Berlin']);
});

test('an equal world that was read anew is not taken for the old one', () => {
  const of = createScheduleCompiler();
  expect(of(worldIn('UTC'))).not.toBe(of(worldIn('UTC')));
});
