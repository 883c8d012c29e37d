import { compileSchedules } from '@placard/schedule';
import { expect, test } from 'vitest';
import { createScheduleCompiler } from './schedule-compiler.ts';
import type { ManifestInputs } from './manifest-builder.ts';

const inputsIn = (timezone: string): ManifestInputs => ({
  timezone,
  inactiveSchedules: [],
  timezones: { version: '2026c', zones: {} },
  mediaHosts: [],
  schedules: [],
  playlists: new Map(),
  assets: new Map(),
  deploymentByTarget: new Map(),
});

test('schedules are compiled once per inputs object, and again for another one', () => {
  const compiled: string[] = [];
  const compile = createScheduleCompiler((inputs) => {
    compiled.push(inputs.timezone);
    return compileSchedules(inputs);
  });
  const [berlin, tokyo] = [inputsIn('Europe/Berlin'), inputsIn('Asia/Tokyo')];
  const first = compile(berlin);
  expect(compile(berlin)).toBe(first);
  expect(compiled).toEqual(['Europe/Berlin']);
  expect(compile(tokyo)).not.toBe(first);
  expect(compiled).toEqual(['Europe/Berlin', 'Asia/Tokyo']);
  compile(berlin);
  expect(compiled, 'only the last result is cached').toEqual([
    'Europe/Berlin',
    'Asia/Tokyo',
    'Europe/Berlin',
  ]);
});

test('an equal but newly read inputs object is compiled again', () => {
  const compile = createScheduleCompiler();
  expect(compile(inputsIn('UTC'))).not.toBe(compile(inputsIn('UTC')));
});
