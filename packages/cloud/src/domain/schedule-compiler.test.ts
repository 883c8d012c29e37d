import { compileSchedules } from '@placard/schedule';
import { expect, test } from 'vitest';
import { createScheduleCompiler } from './schedule-compiler.ts';
import { emptyContent, toSettings } from './manifest-content.ts';
import type { ManifestContent } from './manifest-content.ts';

const contentIn = (timezone: string) =>
  emptyContent(toSettings(timezone, { version: '2026c', zones: {} }, [], (text) => text));

test('schedules are compiled once for the same schedules and settings, and again for others', () => {
  const compiled: string[] = [];
  const compile = createScheduleCompiler(({ settings: { timezone } }) => {
    compiled.push(timezone);
    return compileSchedules({ timezone, schedules: [] });
  });
  const [berlin, tokyo] = [contentIn('Europe/Berlin'), contentIn('Asia/Tokyo')];
  const first = compile(berlin);
  const withOtherPlaylists: ManifestContent = { ...berlin, playlists: new Map() };
  expect(compile(withOtherPlaylists)).toBe(first);
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

test('equal but newly read schedules are compiled again', () => {
  const compile = createScheduleCompiler();
  const content = contentIn('UTC');
  expect(compile(content)).not.toBe(compile({ ...content, schedules: new Map() }));
});
