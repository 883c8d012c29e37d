import { expect, test } from 'vitest';
import { DEFAULT_DISPLAY } from '../display-options.ts';
import { toWireDisplay } from '../display.ts';
import { LIMITS } from '../limits.ts';
import { parseStoredManifest, parseManifest } from './parse-manifest.ts';

const item = (id: string) => ({ id, content_id: 'asset_1', duration: 10, weight: null });
const asset = {
  id: 'asset_1',
  sha256: 'a'.repeat(64),
  size: 1,
  url: 'https://cdn.example/a.png',
  type: 'image',
  format: 'png',
  width: 1,
  height: 1,
  duration: null,
};
const rule = {
  id: 'rule_1',
  playlist_id: 'pl_1',
  start_time: '08:00',
  end_time: '09:00',
  days: ['MON'],
  rrule: null,
  priority: 0,
  starts_on: null,
  ends_on: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};
const target = { type: 'device', id: 'dev_1' };
const playlist = { id: 'pl_1', name: 'One', mode: 'shuffle', items: [item('item_1')] };
const schedule = { id: 'sch_1', name: 'Day', targets: [target], rules: [rule] };
const validManifest = {
  revision: 'r1',
  organization: { timezone: 'UTC' },
  device: {
    id: 'dev_1',
    name: 'Lobby',
    orientation: 'portrait',
    display: toWireDisplay(DEFAULT_DISPLAY),
    menu_pin_hash: null,
  },
  base_playlist_id: 'pl_1',
  schedules: [schedule],
  playlists: [playlist],
  assets: [asset],
};

test('every known field is kept', () => {
  expect(parseManifest(validManifest)).toEqual({ ...validManifest, passed_over: [] });
});

test.each([
  [
    'an asset type',
    { assets: [{ ...asset, type: 'web_page' }, asset] },
    'assets.type: web_page',
    { assets: [asset] },
  ],
  ['a format', { assets: [{ ...asset, format: 'jxl' }, asset] }, 'assets.format: jxl', { assets: [asset] }],
  [
    'a playlist mode, whose items are shown in order',
    { playlists: [{ ...playlist, mode: 'by_weather' }] },
    'playlists.mode: by_weather',
    { playlists: [{ ...playlist, mode: 'sequential' }] },
  ],
  [
    'a target type, whose schedule still reaches this device',
    { schedules: [{ ...schedule, targets: [{ type: 'group', id: 'g' }] }] },
    'schedules.targets.type: group',
    { schedules: [{ ...schedule, targets: [] }] },
  ],
  [
    'a day',
    { schedules: [{ ...schedule, rules: [{ ...rule, days: ['MON', 'HOL'] }] }] },
    'schedules.rules.days: HOL',
    {},
  ],
  [
    'the only day of a rule',
    { schedules: [{ ...schedule, rules: [{ ...rule, days: ['HOL'] }, rule] }] },
    'schedules.rules.days: HOL',
    {},
  ],
  [
    'an orientation',
    { device: { ...validManifest.device, orientation: 'diagonal' } },
    'device.orientation: diagonal',
    { device: { ...validManifest.device, orientation: 'landscape' } },
  ],
  [
    'how to fit',
    { device: { ...validManifest.device, display: { ...toWireDisplay(DEFAULT_DISPLAY), fit: 'mosaic' } } },
    'device.display.fit: mosaic',
    {},
  ],
  ['a field', { weather: 'rain' }, 'weather: unknown field', {}],
  [
    'a field of a rule',
    { schedules: [{ ...schedule, rules: [{ ...rule, except_holidays: 'DE' }] }] },
    'schedules.rules.except_holidays: unknown field',
    {},
  ],
  [
    'an invalid item',
    { playlists: [{ ...playlist, items: [{ id: 'item_2' }, item('item_1')] }] },
    'playlists.items.content_id: nothing',
    {},
  ],
  ['an invalid rule', { schedules: [{ ...schedule, rules: [7, rule] }] }, 'schedules.rules: 7', {}],
  [
    'a span that no rule has',
    { schedules: [{ ...schedule, rules: [{ ...rule, end_day_offset: 7 }, rule] }] },
    'schedules.rules.end_day_offset: 7',
    {},
  ],
  ['a zone of the store in an unknown format', { local_timezone: 7 }, 'local_timezone: 7', {}],
  ['time zones in an unknown format', { timezones: 'later' }, 'timezones: later', {}],
  [
    'hosts in an unknown format, which allow only the cloud',
    { media_hosts: 'any' },
    'media_hosts: any',
    { media_hosts: [] },
  ],
])('unknown parts are skipped and reported: %s', (_name, override, skippedText, read) => {
  const { passed_over, ...rest } = parseManifest({ ...validManifest, ...override })!;
  expect(passed_over.map(({ what, found }) => `${what}: ${found}`)).toEqual([skippedText]);
  expect(rest).toEqual({ ...validManifest, ...read });
});

test('a manifest of an older cloud, without display settings and PIN, gets the defaults', () => {
  const { display: _display, menu_pin_hash: _hash, ...device } = validManifest.device;
  expect(parseManifest({ ...validManifest, device })).toEqual({ ...validManifest, passed_over: [] });
});

test.each([
  ['only its old name', { ground: 'blurred' }, 'blurred', []],
  ['only its new name', { background: 'blurred' }, 'blurred', []],
  ['both, of which the new name wins', { background: 'blurred', ground: 'black' }, 'blurred', []],
  [
    'an unknown value and one for older players',
    { background: 'video', ground: 'blurred' },
    'blurred',
    ['video'],
  ],
  ['an unknown value', { ground: 'video' }, 'black', ['video']],
])('the background of a manifest with %s', (_name, display, expected, unknown) => {
  const read = parseManifest({ ...validManifest, device: { ...validManifest.device, display } })!;
  // An older version of the player that reads the stored manifest knows only `ground`.
  expect(read.device.display).toMatchObject({ background: expected, ground: expected });
  expect(read.passed_over.map(({ found }) => found)).toEqual(unknown);
});

test('a repeated unknown part is reported once, with a count', () => {
  const assets = Array.from({ length: 5 }, () => ({ ...asset, type: 'web_page' }));
  expect(parseManifest({ ...validManifest, assets })?.passed_over).toEqual([
    { what: 'assets.type', found: 'web_page', count: 5 },
  ]);
});

test('a list over the limit is truncated', () => {
  const items = Array.from({ length: 100_000 }, (_, index) => item(`item_${index}`));
  const read = parseManifest({ ...validManifest, playlists: [{ ...playlist, items }] })!;
  expect(read.playlists[0]?.items).toHaveLength(LIMITS.itemsPerPlaylist);
  expect(read.passed_over).toEqual([
    { what: 'playlists.items', found: '100000 of them, of which 2000 are taken', count: 1 },
  ]);
});

test('the rules of all schedules together are limited', () => {
  const rules = Array.from({ length: 500 }, (_, index) => ({ ...rule, id: `rule_${index}` }));
  const schedules = Array.from({ length: 11 }, (_, index) => ({ ...schedule, id: `sch_${index}`, rules }));
  const read = parseManifest({ ...validManifest, schedules })!;
  expect(read.schedules.flatMap((one) => one.rules)).toHaveLength(LIMITS.rules);
});

test('the items of all playlists together are limited', () => {
  const items = Array.from({ length: LIMITS.itemsPerPlaylist }, (_, index) => item(`item_${index}`));
  const count = LIMITS.items / LIMITS.itemsPerPlaylist + 1;
  const playlists = Array.from({ length: count }, (_, index) => ({ ...playlist, id: `pl_${index}`, items }));
  const read = parseManifest({ ...validManifest, playlists })!;
  expect(read.playlists).toHaveLength(count);
  expect(read.playlists.flatMap((one) => one.items)).toHaveLength(LIMITS.items);
  expect(read.passed_over).toEqual([
    { what: 'playlists.items', found: '2000 of them, of which 0 are taken', count: 1 },
  ]);
});

test('the days of a rule are limited to seven', () => {
  const days = Array.from({ length: 10_000 }, () => 'MON');
  const read = parseManifest({ ...validManifest, schedules: [{ ...schedule, rules: [{ ...rule, days }] }] })!;
  expect(read.schedules[0]?.rules[0]?.days).toHaveLength(7);
  expect(read.passed_over).toEqual([
    { what: 'schedules.rules.days', found: '10000 of them, of which 7 are taken', count: 1 },
  ]);
});

test('a list of skipped parts is only read from the stored manifest', () => {
  const passed_over = [{ what: 'assets.type', found: 'web_page', count: 2 }];
  expect(parseManifest({ ...validManifest, passed_over })?.passed_over).toEqual([
    { what: 'passed_over', found: 'unknown field', count: 1 },
  ]);
  expect(parseStoredManifest({ ...validManifest, passed_over })).toEqual({ ...validManifest, passed_over });
});

test.each([null, 7, 'manifest', {}, { ...validManifest, revision: '' }, { ...validManifest, assets: {} }])(
  'not a manifest: %j',
  (sent) => {
    expect(parseManifest(sent)).toBeNull();
  },
);
