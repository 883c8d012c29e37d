import { createHash } from 'node:crypto';
import { DEFAULT_DISPLAY, VIDEO_CLASSES } from '@placard/protocol';
import type { VideoCodec } from '@placard/protocol';
import { expect, test } from 'vitest';
import { contentOf } from '../../test/support/manifest-content.ts';
import type { ManifestInputs } from '../../test/support/manifest-content.ts';
import type { ContentRendition } from './content-rendition.ts';
import { encodeDecoders } from './decoders.ts';
import { createManifestBuilder } from './manifest-builder.ts';
import type { ManifestDevice } from './manifest-builder.ts';
import { findDemand } from './video-classes.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

const asset = (id: string, sha256 = hash(id)) => ({
  id,
  sha256,
  size: 1,
  url: `https://cdn.example/${sha256}`,
  type: 'video' as const,
  format: 'mp4',
  width: 1920,
  height: 1080,
  duration: 10,
});
const demandOf = (codec: string) => findDemand({ codec, width: 1920, height: 1080, frame_rate: 30 })!;
const copyOf = (id: string, codec: string): [string, ContentRendition] => [
  id,
  {
    asset: asset(id, hash(`copy of ${id}`)),
    demands: { original: demandOf(codec), copy: demandOf('avc1.640028') },
  },
];

const items = ['hevc', 'av1', 'plain'].map((content_id) => ({
  id: `item_${content_id}`,
  content_id,
  duration: null,
  weight: null,
}));
const inputs: ManifestInputs = {
  timezone: 'UTC',
  timezones: { version: '2026c', zones: {} },
  mediaHosts: ['cdn.example'],
  schedules: [],
  inactiveSchedules: [],
  playlists: new Map([['pl', { id: 'pl', name: 'P', mode: 'sequential', items }]]),
  assets: new Map(items.map(({ content_id: id }) => [id, asset(id)])),
  deploymentByTarget: new Map([['all', { playlistId: 'pl', createdAtMs: 1, deploymentId: 'dep' }]]),
};
const renditions = new Map([copyOf('hevc', 'hvc1.1.6.L123'), copyOf('av1', 'av01.0.08M.08')]);

/** A device that plays everything but these codecs. */
const deviceWithout = (...missing: readonly VideoCodec[]): ManifestDevice => ({
  id: 'dev_1',
  name: 'One',
  orientation: 'landscape',
  display: DEFAULT_DISPLAY,
  menu_pin_hash: null,
  screenshots_allowed: true,
  screenshot_interval_minutes: null,
  decoders: encodeDecoders(
    VIDEO_CLASSES.map((each) => {
      const plays = !missing.includes(each.codec);
      return { ...each, supported: plays, smooth: plays, power_efficient: false };
    }),
  ),
  store_id: null,
  tags: [],
});
const builderOf = (more: Partial<ManifestInputs> = {}) =>
  createManifestBuilder(contentOf({ ...inputs, ...more }, hash), hash);
const partFor = (builder: ReturnType<typeof builderOf>, device: ManifestDevice) =>
  builder.partFor({ deviceClass: builder.classOf(device), decoders: device.decoders });

/** The assets of which the device gets a copy. */
const copiesFor = (builder: ReturnType<typeof builderOf>, device: ManifestDevice) =>
  builder
    .manifestOf(device)
    .assets.flatMap(({ id, sha256 }) => (sha256 === hash(`copy of ${id}`) ? [id] : []));

test('each device gets the copies that it plays better than the originals', () => {
  const builder = builderOf({ renditions });
  expect(copiesFor(builder, deviceWithout())).toEqual([]);
  expect(copiesFor(builder, deviceWithout('hevc'))).toEqual(['hevc']);
  expect(copiesFor(builder, deviceWithout('hevc', 'av1'))).toEqual(['av1', 'hevc']);
  expect(copiesFor(builder, deviceWithout('hevc', 'h264')), 'it plays neither').toEqual([]);
  expect(copiesFor(builder, { ...deviceWithout(), decoders: null }), 'nothing is known').toEqual([]);
});

test('a device that gets no copy keeps the revision that it has without them', () => {
  const [without, withCopies] = [builderOf(), builderOf({ renditions })];
  for (const device of [deviceWithout(), deviceWithout('vp9'), { ...deviceWithout(), decoders: null }]) {
    expect(withCopies.revisionOf(device)).toBe(without.revisionOf(device));
  }
  const lacking = deviceWithout('hevc');
  expect(withCopies.revisionOf(lacking)).not.toBe(without.revisionOf(lacking));
  expect(withCopies.revisionOf(lacking)).not.toBe(withCopies.revisionOf(deviceWithout('hevc', 'av1')));
  const other = new Map([...renditions, copyOf('plain', 'av01.0.08M.08')]);
  expect(builderOf({ renditions: other }).revisionOf(lacking), 'a copy for others').toBe(
    withCopies.revisionOf(lacking),
  );
});

test('the revision and the JSON are those of the manifest, and devices with the same copies share a part', () => {
  const builder = builderOf({ renditions });
  const [one, two] = [deviceWithout('hevc'), deviceWithout('hevc', 'vp9')];
  expect(partFor(builder, one)).toBe(partFor(builder, two));
  expect(partFor(builder, deviceWithout())).toBe(builder.partOf(builder.classOf(one)));
  for (const device of [one, two, deviceWithout(), deviceWithout('hevc', 'av1')]) {
    const { revision, json } = builder.manifestJsonOf({ ...device, deviceClass: builder.classOf(device) });
    const manifest = builder.manifestOf(device);
    expect(JSON.parse(Buffer.concat(json).toString())).toEqual(JSON.parse(JSON.stringify(manifest)));
    expect([revision, builder.revisionOf(device)]).toEqual([manifest.revision, manifest.revision]);
  }
});

test('of many texts of decoders all that get the same copies have one part and one body', () => {
  const builder = builderOf({ renditions });
  const deviceClass = builder.classOf(deviceWithout());
  const texts = Array.from({ length: 200 }, (_, n) => `${deviceWithout('hevc').decoders}${n}`);
  const parts = () => texts.map((decoders) => builder.partFor({ deviceClass, decoders }));
  expect(new Set([...parts(), ...parts()]).size).toBe(1);
  const bodies = texts.map(
    (decoders) => builder.manifestJsonOf({ ...deviceWithout(), decoders, deviceClass }).json[1],
  );
  expect(new Set(bodies).size).toBe(1);
});

test('what a playlist chooses for decoders is computed once for all classes of devices', () => {
  const stores = Array.from({ length: 50 }, (_, n) => `store_${n}`);
  const deploymentByTarget = new Map(
    stores.map((id) => [`store:${id}`, { playlistId: 'pl', createdAtMs: 1, deploymentId: 'dep' }]),
  );
  const builder = builderOf({ renditions, deploymentByTarget });
  const choices = stores.map(
    (store_id) => partFor(builder, { ...deviceWithout('hevc'), store_id }).choices[0],
  );
  expect(choices[0]?.copies.size).toBe(1);
  expect(new Set(choices).size).toBe(1);
});
