import { createHash } from 'node:crypto';
import { DEFAULT_DISPLAY } from '@placard/protocol';
import { expect, test } from 'vitest';
import { contentOf, expectedRevision } from '../../test/support/manifest-content.ts';
import type { ManifestInputs } from '../../test/support/manifest-content.ts';
import { createDeviceClasses } from './device-classes.ts';
import { createManifestBuilder } from './manifest-builder.ts';
import type { ManifestBuilder, ManifestDevice } from './manifest-builder.ts';
import { applyContentChange, toContentPlaylist } from './manifest-content.ts';
import { targetKey } from '@placard/schedule';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const asset = (id: string) => ({
  id,
  sha256: hash(id),
  size: 1,
  url: `https://cdn.example/${id}`,
  type: 'image' as const,
  format: 'png',
  width: 1,
  height: 1,
  duration: null,
});
const NO_CHANGES = {
  from: '2026-01-01T00:00:00.000Z',
  until: '2029-01-01T00:00:00.000Z',
  offset: 0,
  transitions: [],
};
const playlist = (id: string, ...content: string[]) => ({
  id,
  name: id,
  mode: 'sequential' as const,
  items: content.map((content_id) => ({ id: `item_${content_id}`, content_id, duration: 10, weight: null })),
});
const rule = (playlist_id: string) => ({
  id: `rule_${playlist_id}`,
  playlist_id,
  start_time: '08:00',
  end_time: '09:00',
  days: ['MON' as const],
  rrule: null,
  priority: 0,
  starts_on: null,
  ends_on: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
});
const schedule = (id: string, tag: string, playlistId: string) => ({
  id,
  name: id,
  targets: [{ type: 'tag' as const, value: tag }],
  rules: [rule(playlistId)],
});
const deviceWith = (more: Partial<ManifestDevice> = {}): ManifestDevice => ({
  id: 'dev_1',
  name: 'One',
  orientation: 'landscape',
  display: DEFAULT_DISPLAY,
  menu_pin_hash: null,
  screenshots_allowed: true,
  screenshot_interval_minutes: null,
  decoders: null,
  store_id: null,
  tags: [],
  ...more,
});
const inputsWith = (more: Partial<ManifestInputs> = {}): ManifestInputs => ({
  timezone: 'UTC',
  inactiveSchedules: [],
  timezones: { version: '2026c', zones: {} },
  mediaHosts: ['cdn.example'],
  schedules: [],
  playlists: new Map(
    [playlist('pl_a', 'asset_1', 'asset_2'), playlist('pl_b', 'asset_2')].map((p) => [p.id, p]),
  ),
  assets: new Map(['asset_1', 'asset_2', 'asset_3'].map((id) => [id, asset(id)])),
  deploymentByTarget: new Map(),
  ...more,
});
const deployments = (...entries: [key: string, playlistId: string, createdAtMs: number][]) =>
  new Map(
    entries.map(([key, playlistId, createdAtMs]) => [
      key,
      { playlistId, createdAtMs, deploymentId: `dep_${createdAtMs}_${playlistId}` },
    ]),
  );
const builderOf = (inputs: ManifestInputs) => createManifestBuilder(contentOf(inputs, hash), hash);
const jsonOf = (builder: ManifestBuilder, device: ManifestDevice) =>
  builder.manifestJsonOf({ ...device, deviceClass: builder.classOf(device) });
const revision = (inputs: ManifestInputs, device: ManifestDevice = deviceWith()) =>
  builderOf(inputs).revisionOf(device);

test('a manifest lists only the playlists and assets that its device may show, each once', () => {
  const manifest = builderOf(
    inputsWith({
      schedules: [schedule('sch_1', 'mine', 'pl_b'), schedule('sch_2', 'other', 'pl_a')],
      deploymentByTarget: deployments(['device:dev_1', 'pl_b', 1]),
    }),
  ).manifestOf(deviceWith({ tags: ['mine'] }));
  expect(manifest.base_playlist_id).toBe('pl_b');
  expect(manifest.schedules.map(({ id }) => id)).toEqual(['sch_1']);
  expect(manifest.playlists.map(({ id }) => id)).toEqual(['pl_b']);
  expect(manifest.assets.map(({ id }) => id)).toEqual(['asset_2']);
});

test('the revision depends on everything that the device shows, and on nothing else', () => {
  const base = inputsWith({ deploymentByTarget: deployments(['device:dev_1', 'pl_b', 1]) });
  const first = revision(base);
  expect(revision(inputsWith({ deploymentByTarget: deployments(['device:dev_1', 'pl_b', 1]) }))).toBe(first);
  expect(revision({ ...base, timezone: 'Asia/Tokyo' })).not.toBe(first);
  expect(revision(base, deviceWith({ orientation: 'portrait' }))).not.toBe(first);
  expect(revision(base, deviceWith({ name: 'Two' }))).not.toBe(first);
  expect(revision(base, deviceWith({ display: { ...DEFAULT_DISPLAY, fade_ms: 300 } }))).not.toBe(first);
  expect(revision(base, deviceWith({ menu_pin_hash: 'scrypt$14$salt$hash' }))).not.toBe(first);
  expect(revision(base, deviceWith({ screenshots_allowed: false }))).not.toBe(first);
  expect(revision(base, deviceWith({ screenshot_interval_minutes: 60 }))).not.toBe(first);
  expect(revision({ ...base, deploymentByTarget: deployments() })).not.toBe(first);
  const replaced = { ...asset('asset_2'), sha256: hash('other bytes') };
  expect(revision({ ...base, assets: new Map(base.assets).set('asset_2', replaced) })).not.toBe(first);
  const longer = playlist('pl_b', 'asset_2', 'asset_3');
  expect(revision({ ...base, playlists: new Map(base.playlists).set('pl_b', longer) })).not.toBe(first);

  const elsewhere = playlist('pl_a', 'asset_3');
  expect(revision({ ...base, playlists: new Map(base.playlists).set('pl_a', elsewhere) })).toBe(first);
  expect(revision(base, deviceWith({ tags: ['new'], store_id: 'store_1' }))).toBe(first);
  const redeployed = deployments(['device:dev_1', 'pl_b', 2]);
  expect(revision({ ...base, deploymentByTarget: redeployed })).toBe(first);
});

const baseOf = (...entries: Parameters<typeof deployments>) =>
  builderOf(inputsWith({ deploymentByTarget: deployments(...entries) })).basePlaylistIdOf(
    deviceWith({ store_id: 'store_1', tags: ['t'] }),
  );

test('the newest deployment wins, and the id breaks ties', () => {
  expect(baseOf(['device:dev_1', 'pl_a', 1], ['store:store_1', 'pl_b', 2])).toBe('pl_b');
  expect(baseOf(['device:dev_1', 'pl_a', 3], ['tag:t', 'pl_b', 2])).toBe('pl_a');
  expect(baseOf(['device:dev_1', 'pl_a', 2], ['tag:t', 'pl_b', 2])).toBe('pl_b');
  expect(baseOf(['device:dev_2', 'pl_a', 2])).toBeNull();
});

test('the manifest JSON equals the manifest and is serialized once for devices with the same content', () => {
  let made = 0;
  const counted = {
    ...schedule('sch_1', 'a', 'pl_1'),
    toJSON() {
      made += 1;
      return { ...this, toJSON: undefined };
    },
  };
  const manifests = builderOf(inputsWith({ schedules: [counted] }));
  const members = [
    deviceWith({ tags: ['a'] }),
    deviceWith({ id: 'dev_2', name: 'Two "2"', tags: ['a', 'b'] }),
    deviceWith({ id: 'dev_3' }),
  ];
  made = 0;
  const texts = members.map((device) => jsonOf(manifests, device));
  expect(made).toBe(1);
  expect(texts[1]?.json.at(-1) === texts[0]?.json.at(-1), 'the same memory').toBe(true);
  for (const [index, { revision, json }] of texts.entries()) {
    expect(JSON.parse(Buffer.concat(json).toString())).toEqual(
      JSON.parse(JSON.stringify(manifests.manifestOf(members[index]!))),
    );
    expect(revision).toBe(manifests.revisionOf(members[index]!));
  }
});

test('the cache of shared parts is bounded when every device has different content', () => {
  const devices = Array.from({ length: 40 }, (_, n) => deviceWith({ id: `dev_${n}` }));
  const schedules = devices.map(({ id }, n) => ({
    ...schedule(`sch_${n}`, 'a', 'pl_1'),
    targets: [{ type: 'device' as const, id }],
  }));
  const manifests = builderOf(inputsWith({ schedules }));
  for (const round of [1, 2]) {
    for (const device of devices) {
      expect(JSON.parse(Buffer.concat(jsonOf(manifests, device).json).toString()), `round ${round}`).toEqual(
        JSON.parse(JSON.stringify(manifests.manifestOf(device))),
      );
    }
  }
});

const tag = (value: string) => ({ type: 'tag' as const, value });

test('a device gets only the schedules and targets that match it, in their original order', () => {
  const schedules = [
    { ...schedule('sch_1', 'a', 'pl_1'), targets: [tag('b'), tag('x'), tag('a')] },
    { ...schedule('sch_2', 'b', 'pl_1'), targets: [tag('x')] },
    { ...schedule('sch_3', 'c', 'pl_1'), targets: [{ type: 'store' as const, id: 'store_1' }, tag('b')] },
  ];
  const manifest = builderOf(inputsWith({ schedules })).manifestOf(
    deviceWith({ id: 'dev_1', store_id: 'store_1', tags: ['a', 'b'] }),
  );
  expect(manifest.schedules.map(({ id, targets }) => [id, targets])).toEqual([
    ['sch_1', [tag('b'), tag('a')]],
    ['sch_3', [{ type: 'store', id: 'store_1' }, tag('b')]],
  ]);
});

test('revisions equal those that earlier versions stored, also with the classes of other content', () => {
  let seed = 1;
  const randomBelow = (n: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % n;
  };
  const randomList = <T>(most: number, make: () => T): T[] =>
    Array.from({ length: randomBelow(most + 1) }, make);
  const devices = Array.from({ length: 60 }, (_, n) =>
    deviceWith({
      id: `dev_${n}`,
      name: `${n} "\u00fc"`,
      store_id: randomBelow(3) === 0 ? null : `store_${randomBelow(4)}`,
      tags: [...new Set(randomList(3, () => `t"${randomBelow(12)}`))],
    }),
  );
  const randomTarget = () =>
    randomBelow(6) === 0
      ? { type: 'device' as const, id: `dev_${randomBelow(60)}` }
      : randomBelow(12) === 0
        ? { type: 'all' as const }
        : randomBelow(3) === 0
          ? { type: 'store' as const, id: `store_${randomBelow(4)}` }
          : tag(`t"${randomBelow(10)}`);
  const classes = createDeviceClasses();
  for (let round = 0; round < 20; round++) {
    const playlists = Array.from({ length: 8 }, (_, n) =>
      playlist(`pl_${n}`, ...randomList(4, () => `asset_${randomBelow(4)}`)),
    );
    const random = inputsWith({
      playlists: new Map(playlists.map((each) => [each.id, each])),
      schedules: Array.from({ length: 12 }, (_, n) => ({
        id: `sch_${n + 10}`,
        name: 'S',
        targets: [
          ...new Map(randomList(4, randomTarget).map((target) => [targetKey(target), target])).values(),
        ],
        rules: randomList(3, () => ({
          ...rule(`pl_${randomBelow(9)}`),
          ...(randomBelow(4) === 0 ? { local_time: true } : {}),
        })),
      })),
      storeZones: new Map(
        randomList(3, () => [
          `store_${randomBelow(4)}`,
          ['Asia/Tokyo', 'Europe/Berlin', 'Mars/Olympus'][randomBelow(3)]!,
        ]),
      ),
      findZone: (name) => (name.startsWith('Mars') ? null : { ...NO_CHANGES, offset: name.length }),
      deploymentByTarget: deployments(
        ...randomList(
          9,
          () =>
            [targetKey(randomTarget()), `pl_${randomBelow(8)}`, randomBelow(3)] satisfies [
              string,
              string,
              number,
            ],
        ),
      ),
    });
    const manifests = createManifestBuilder(contentOf(random, hash), hash, classes);
    for (const device of devices) {
      const expected = expectedRevision(random, device, hash);
      expect(manifests.revisionOf(device)).toBe(expected);
      expect(jsonOf(manifests, device).revision).toBe(expected);
    }
  }
});

test('the part that devices of a class share is computed once, and again only when its content changes', () => {
  const classes = createDeviceClasses();
  const base = inputsWith({
    schedules: [schedule('sch_1', 'a', 'pl_a'), schedule('sch_2', 'b', 'pl_b')],
    deploymentByTarget: deployments(['tag:a', 'pl_b', 1]),
  });
  const first = contentOf(base, hash);
  const partIn = (content: typeof first, ...tags: string[]) => {
    const builder = createManifestBuilder(content, hash, classes);
    return builder.partOf(builder.classOf(deviceWith({ id: `dev_${tags.length}`, tags })));
  };
  const [a, b] = [partIn(first, 'a', 'x'), partIn(first, 'b')];
  expect(partIn(first, 'y', 'a')).toBe(a);
  expect(a).not.toBe(b);
  const changed = {
    settings: null,
    schedules: new Map(),
    storeZones: new Map(),
    playlists: new Map([
      ['pl_a', toContentPlaylist(playlist('pl_a', 'asset_3'), (id) => base.assets.get(id), hash)],
    ]),
    deployments: new Map(),
  };
  const second = applyContentChange(first, changed);
  expect(partIn(second, 'b')).toBe(b);
  const ofSecond = partIn(second, 'a');
  expect(ofSecond).not.toBe(a);
  expect(partIn(applyContentChange(second, changed), 'a'), 'equal content').toBe(ofSecond);
});

const local = (isLocal: boolean) => ({
  ...schedule('sch_1', 'a', 'pl_a'),
  rules: [{ ...rule('pl_a'), ...(isLocal ? { local_time: true } : {}) }],
});

test('stores with different zones share what no rule needs a zone for', () => {
  const inputs = inputsWith({
    schedules: [local(false)],
    storeZones: new Map([
      ['store_1', 'Asia/Tokyo'],
      ['store_2', 'Europe/Berlin'],
      ['store_3', 'Asia/Tokyo'],
      ['store_4', 'Mars/Olympus'],
    ]),
    findZone: (name) => (name === 'Mars/Olympus' ? null : { ...NO_CHANGES, offset: name.length }),
  });
  const classes = createDeviceClasses();
  const partsOf = (schedules: ManifestInputs['schedules']) => {
    const builder = createManifestBuilder(contentOf({ ...inputs, schedules }, hash), hash, classes);
    return ['store_1', 'store_2', 'store_3', 'store_4', 'store_5', null].map((store_id) => {
      const device = deviceWith({ tags: ['a'], store_id });
      const { local_timezone, timezones } = builder.manifestOf(device);
      const part = builder.partOf(builder.classOf(device));
      return { part, local_timezone, zones: Object.keys(timezones?.zones ?? {}) };
    });
  };
  const plain = partsOf([local(false)]);
  expect(new Set(plain.map(({ part }) => part)).size).toBe(1);
  expect(plain.map(({ local_timezone }) => local_timezone)).toEqual(Array.from({ length: 6 }));

  const zoned = partsOf([local(true)]);
  expect(zoned[0]!.part).toBe(zoned[2]!.part);
  expect(new Set(zoned.map(({ part }) => part.revisionJson)).size).toBe(3);
  expect(zoned.map(({ local_timezone, zones }) => [local_timezone, ...zones])).toEqual([
    ['Asia/Tokyo', 'Asia/Tokyo'],
    ['Europe/Berlin', 'Europe/Berlin'],
    ['Asia/Tokyo', 'Asia/Tokyo'],
    [undefined],
    [undefined],
    [undefined],
  ]);
});
