import { expect, test } from 'vitest';
import { DEFAULT_DISPLAY } from '../display-choices.ts';
import { LIMITS } from '../limits.ts';
import { readKeptManifest, readManifest } from './read-manifest.ts';

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
const whole = {
  revision: 'r1',
  organization: { timezone: 'UTC' },
  device: {
    id: 'dev_1',
    name: 'Lobby',
    orientation: 'portrait',
    display: DEFAULT_DISPLAY,
    menu_pin_hash: null,
  },
  base_playlist_id: 'pl_1',
  schedules: [schedule],
  playlists: [playlist],
  assets: [asset],
};

test('of what is known nothing is left out', () => {
  expect(readManifest(whole)).toEqual({ ...whole, passed_over: [] });
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
    { device: { ...whole.device, orientation: 'diagonal' } },
    'device.orientation: diagonal',
    { device: { ...whole.device, orientation: 'landscape' } },
  ],
  [
    'how to fit',
    { device: { ...whole.device, display: { ...DEFAULT_DISPLAY, fit: 'mosaic' } } },
    'device.display.fit: mosaic',
    {},
  ],
  ['a field', { weather: 'rain' }, 'weather: unknown field', {}],
  [
    'a field of a rule',
    { schedules: [{ ...schedule, rules: [{ ...rule, except_dates: [] }] }] },
    'schedules.rules.except_dates: unknown field',
    {},
  ],
  [
    'an item that is none',
    { playlists: [{ ...playlist, items: [{ id: 'item_2' }, item('item_1')] }] },
    'playlists.items.content_id: nothing',
    {},
  ],
  ['a rule that is none', { schedules: [{ ...schedule, rules: [7, rule] }] }, 'schedules.rules: 7', {}],
  ['clocks in another form', { timezones: 'later' }, 'timezones: later', {}],
  [
    'hosts in another form, which allow none beyond the cloud',
    { media_hosts: 'any' },
    'media_hosts: any',
    { media_hosts: [] },
  ],
])('%s that is unknown is passed over and told', (_name, strange, told, read) => {
  const { passed_over, ...rest } = readManifest({ ...whole, ...strange })!;
  expect(passed_over.map(({ what, found }) => `${what}: ${found}`)).toEqual([told]);
  expect(rest).toEqual({ ...whole, ...read });
});

test('what is unknown again and again is told once, with how often', () => {
  const assets = Array.from({ length: 5 }, () => ({ ...asset, type: 'web_page' }));
  expect(readManifest({ ...whole, assets })?.passed_over).toEqual([
    { what: 'assets.type', found: 'web_page', count: 5 },
  ]);
});

test('of a list that is too long as much is taken as a manifest may hold', () => {
  const items = Array.from({ length: 100_000 }, (_, index) => item(`item_${index}`));
  const read = readManifest({ ...whole, playlists: [{ ...playlist, items }] })!;
  expect(read.playlists[0]?.items).toHaveLength(LIMITS.itemsPerPlaylist);
  expect(read.passed_over).toEqual([
    { what: 'playlists.items', found: '100000 of them, of which 2000 are taken', count: 1 },
  ]);
});

test('of all schedules together so many rules are taken', () => {
  const rules = Array.from({ length: 500 }, (_, index) => ({ ...rule, id: `rule_${index}` }));
  const schedules = Array.from({ length: 11 }, (_, index) => ({ ...schedule, id: `sch_${index}`, rules }));
  const read = readManifest({ ...whole, schedules })!;
  expect(read.schedules.flatMap((one) => one.rules)).toHaveLength(LIMITS.rules);
});

test('of all playlists together so many items are taken', () => {
  const items = Array.from({ length: LIMITS.itemsPerPlaylist }, (_, index) => item(`item_${index}`));
  const count = LIMITS.items / LIMITS.itemsPerPlaylist + 1;
  const playlists = Array.from({ length: count }, (_, index) => ({ ...playlist, id: `pl_${index}`, items }));
  const read = readManifest({ ...whole, playlists })!;
  expect(read.playlists).toHaveLength(count);
  expect(read.playlists.flatMap((one) => one.items)).toHaveLength(LIMITS.items);
  expect(read.passed_over).toEqual([
    { what: 'playlists.items', found: '2000 of them, of which 0 are taken', count: 1 },
  ]);
});

test('a rule has no more days than a week', () => {
  const days = Array.from({ length: 10_000 }, () => 'MON');
  const read = readManifest({ ...whole, schedules: [{ ...schedule, rules: [{ ...rule, days }] }] })!;
  expect(read.schedules[0]?.rules[0]?.days).toHaveLength(7);
  expect(read.passed_over).toEqual([
    { what: 'schedules.rules.days', found: '10000 of them, of which 7 are taken', count: 1 },
  ]);
});

test('no list of what was left out is believed but the one that the player kept', () => {
  const passed_over = [{ what: 'assets.type', found: 'web_page', count: 2 }];
  expect(readManifest({ ...whole, passed_over })?.passed_over).toEqual([
    { what: 'passed_over', found: 'unknown field', count: 1 },
  ]);
  expect(readKeptManifest({ ...whole, passed_over })).toEqual({ ...whole, passed_over });
});

test.each([null, 7, 'manifest', {}, { ...whole, revision: '' }, { ...whole, assets: {} }])(
  'what is no manifest is refused: %j',
  (sent) => {
    expect(readManifest(sent)).toBeNull();
  },
);
