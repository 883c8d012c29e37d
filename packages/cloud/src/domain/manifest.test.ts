import { createHash } from 'node:crypto';
import { DEFAULT_DISPLAY } from '@placard/protocol';
import { expect, test } from 'vitest';
import { createManifests } from './manifest.ts';
import type { Member, World } from './manifest.ts';
import { targetKey, targetKeys } from './reach.ts';

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
const member = (more: Partial<Member> = {}): Member => ({
  id: 'dev_1',
  name: 'One',
  orientation: 'landscape',
  display: DEFAULT_DISPLAY,
  menuPinHash: null,
  storeId: null,
  tags: [],
  ...more,
});
const world = (more: Partial<World> = {}): World => ({
  timezone: 'UTC',
  switchedOff: [],
  timezones: { version: '2026c', zones: {} },
  mediaHosts: ['cdn.example'],
  schedules: [],
  playlists: new Map(
    [playlist('pl_a', 'asset_1', 'asset_2'), playlist('pl_b', 'asset_2')].map((p) => [p.id, p]),
  ),
  assets: new Map(['asset_1', 'asset_2', 'asset_3'].map((id) => [id, asset(id)])),
  deployed: new Map(),
  ...more,
});
const deployed = (...entries: [key: string, playlistId: string, createdAtMs: number][]) =>
  new Map(
    entries.map(([key, playlistId, createdAtMs]) => [
      key,
      { playlistId, createdAtMs, deploymentId: `dep_${createdAtMs}_${playlistId}` },
    ]),
  );
const revision = (from: World, of: Member = member()) => createManifests(from, hash).revisionOf(of);

test('a manifest names just the playlists and files that its device may show, each once', () => {
  const manifest = createManifests(
    world({
      schedules: [schedule('sch_1', 'mine', 'pl_b'), schedule('sch_2', 'other', 'pl_a')],
      deployed: deployed(['device:dev_1', 'pl_b', 1]),
    }),
    hash,
  ).manifestOf(member({ tags: ['mine'] }));
  expect(manifest.base_playlist_id).toBe('pl_b');
  expect(manifest.schedules.map(({ id }) => id)).toEqual(['sch_1']);
  expect(manifest.playlists.map(({ id }) => id)).toEqual(['pl_b']);
  expect(manifest.assets.map(({ id }) => id)).toEqual(['asset_2']);
});

test('everything that a device shows is in its revision, and nothing else', () => {
  const base = world({ deployed: deployed(['device:dev_1', 'pl_b', 1]) });
  const first = revision(base);
  expect(revision(world({ deployed: deployed(['device:dev_1', 'pl_b', 1]) }))).toBe(first);
  expect(revision({ ...base, timezone: 'Asia/Tokyo' })).not.toBe(first);
  expect(revision(base, member({ orientation: 'portrait' }))).not.toBe(first);
  expect(revision(base, member({ name: 'Two' }))).not.toBe(first);
  expect(revision(base, member({ display: { ...DEFAULT_DISPLAY, fade_ms: 300 } }))).not.toBe(first);
  expect(revision(base, member({ menuPinHash: 'scrypt$14$salt$hash' }))).not.toBe(first);
  expect(revision({ ...base, deployed: deployed() })).not.toBe(first);
  const replaced = { ...asset('asset_2'), sha256: hash('other bytes') };
  expect(revision({ ...base, assets: new Map(base.assets).set('asset_2', replaced) })).not.toBe(first);
  const longer = playlist('pl_b', 'asset_2', 'asset_3');
  expect(revision({ ...base, playlists: new Map(base.playlists).set('pl_b', longer) })).not.toBe(first);

  const elsewhere = playlist('pl_a', 'asset_3');
  expect(revision({ ...base, playlists: new Map(base.playlists).set('pl_a', elsewhere) })).toBe(first);
  expect(revision(base, member({ tags: ['new'], storeId: 'store_1' }))).toBe(first);
  const redeployed = deployed(['device:dev_1', 'pl_b', 2]);
  expect(revision({ ...base, deployed: redeployed })).toBe(first);
});

const baseOf = (...entries: Parameters<typeof deployed>) =>
  createManifests(world({ deployed: deployed(...entries) }), hash).basePlaylistOf(
    member({ storeId: 'store_1', tags: ['t'] }),
  );

test('of several deployments the newest wins, and the id decides between equals', () => {
  expect(baseOf(['device:dev_1', 'pl_a', 1], ['store:store_1', 'pl_b', 2])).toBe('pl_b');
  expect(baseOf(['device:dev_1', 'pl_a', 3], ['tag:t', 'pl_b', 2])).toBe('pl_a');
  expect(baseOf(['device:dev_1', 'pl_a', 2], ['tag:t', 'pl_b', 2])).toBe('pl_b');
  expect(baseOf(['device:dev_2', 'pl_a', 2])).toBeNull();
});

test('the JSON of a manifest is the manifest, and is made once for devices that show the same', () => {
  let made = 0;
  const counted = {
    ...schedule('sch_1', 'a', 'pl_1'),
    toJSON() {
      made += 1;
      return { ...this, toJSON: undefined };
    },
  };
  const manifests = createManifests(world({ schedules: [counted] }), hash);
  const members = [
    member({ tags: ['a'] }),
    member({ id: 'dev_2', name: 'Two "2"', tags: ['a', 'b'] }),
    member({ id: 'dev_3' }),
  ];
  made = 0;
  const texts = members.map((one) => manifests.manifestJsonOf(one));
  expect(made).toBe(1);
  expect(texts[1]?.json.at(-1) === texts[0]?.json.at(-1), 'the same memory').toBe(true);
  for (const [index, { revision, json }] of texts.entries()) {
    expect(JSON.parse(Buffer.concat(json).toString())).toEqual(
      JSON.parse(JSON.stringify(manifests.manifestOf(members[index]!))),
    );
    expect(revision).toBe(manifests.revisionOf(members[index]!));
  }
});

test('devices that all show something else fill no memory with it', () => {
  const devices = Array.from({ length: 40 }, (_, n) => member({ id: `dev_${n}` }));
  const schedules = devices.map(({ id }, n) => ({
    ...schedule(`sch_${n}`, 'a', 'pl_1'),
    targets: [{ type: 'device' as const, id }],
  }));
  const manifests = createManifests(world({ schedules }), hash);
  for (const round of [1, 2])
    for (const one of devices)
      expect(
        JSON.parse(Buffer.concat(manifests.manifestJsonOf(one).json).toString()),
        `round ${round}`,
      ).toEqual(JSON.parse(JSON.stringify(manifests.manifestOf(one))));
});

const tag = (value: string) => ({ type: 'tag' as const, value });

test('a device gets the schedules that reach it in their order, with the targets that do in theirs', () => {
  const schedules = [
    { ...schedule('sch_1', 'a', 'pl_1'), targets: [tag('b'), tag('x'), tag('a')] },
    { ...schedule('sch_2', 'b', 'pl_1'), targets: [tag('x')] },
    { ...schedule('sch_3', 'c', 'pl_1'), targets: [{ type: 'store' as const, id: 'store_1' }, tag('b')] },
  ];
  const manifest = createManifests(world({ schedules }), hash).manifestOf(
    member({ id: 'dev_1', storeId: 'store_1', tags: ['a', 'b'] }),
  );
  expect(manifest.schedules.map(({ id, targets }) => [id, targets])).toEqual([
    ['sch_1', [tag('b'), tag('a')]],
    ['sch_3', [{ type: 'store', id: 'store_1' }, tag('b')]],
  ]);
});

/** What a revision is, computed for one device from the whole world. */
function plainRevision(of: World, one: Member): string {
  const keys = new Set(targetKeys(one));
  const schedules = of.schedules
    .map((each) => ({ ...each, targets: each.targets.filter((target) => keys.has(targetKey(target))) }))
    .filter(({ targets }) => targets.length > 0);
  const [newest] = [...of.deployed]
    .flatMap(([key, deployment]) => (keys.has(key) ? [deployment] : []))
    .toSorted((a, b) => b.createdAtMs - a.createdAtMs || (a.deploymentId < b.deploymentId ? 1 : -1));
  const base = newest?.playlistId ?? null;
  const ids = schedules.flatMap(({ rules }) => rules.map(({ playlist_id: id }) => id));
  return hash(
    JSON.stringify([
      hash(JSON.stringify([of.timezone, of.timezones, of.mediaHosts])),
      {
        id: one.id,
        name: one.name,
        orientation: one.orientation,
        display: one.display,
        menu_pin_hash: one.menuPinHash,
      },
      base,
      schedules.map((each) => [hash(JSON.stringify({ ...each, targets: null })), each.targets]),
      [...new Set(base === null ? ids : [...ids, base])]
        .toSorted()
        .map((id) =>
          hash(
            JSON.stringify([
              of.playlists.get(id) ?? null,
              of.playlists.get(id)?.items.map((item) => of.assets.get(item.content_id) ?? null),
            ]),
          ),
        ),
    ]),
  );
}

const pause = async () => {};

test('revisions of many devices are, bit for bit, what each has alone', async () => {
  let seed = 1;
  const below = (n: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % n;
  };
  const some = <T>(most: number, make: () => T): T[] => Array.from({ length: below(most + 1) }, make);
  const devices = Array.from({ length: 60 }, (_, n) =>
    member({
      id: `dev_${n}`,
      name: `${n} "\u00fc"`,
      storeId: below(3) === 0 ? null : `store_${below(4)}`,
      tags: [...new Set(some(3, () => `t"${below(12)}`))],
    }),
  );
  const aim = () =>
    below(6) === 0
      ? { type: 'device' as const, id: `dev_${below(60)}` }
      : below(3) === 0
        ? { type: 'store' as const, id: `store_${below(4)}` }
        : tag(`t"${below(10)}`);
  for (let round = 0; round < 20; round++) {
    const playlists = Array.from({ length: 8 }, (_, n) =>
      playlist(`pl_${n}`, ...some(4, () => `asset_${below(4)}`)),
    );
    const random = world({
      playlists: new Map(playlists.map((each) => [each.id, each])),
      schedules: Array.from({ length: 12 }, (_, n) => ({
        id: `sch_${n + 10}`,
        name: 'S',
        targets: [...new Map(some(4, aim).map((target) => [targetKey(target), target])).values()],
        rules: some(3, () => rule(`pl_${below(9)}`)),
      })),
      deployed: deployed(
        ...some(9, () => [targetKey(aim()), `pl_${below(8)}`, below(3)] satisfies [string, string, number]),
      ),
    });
    const manifests = createManifests(random, hash);
    const together = await manifests.revisionsOf(devices, pause);
    for (const one of devices) {
      const plain = plainRevision(random, one);
      expect(together.get(one)).toBe(plain);
      expect(manifests.revisionOf(one)).toBe(plain);
      expect(manifests.manifestJsonOf(one).revision).toBe(plain);
    }
  }
});

test('of devices that the same reaches, what they have in common is hashed once', async () => {
  let made = 0;
  const counted = (value: string) => ({
    ...tag(value),
    toJSON() {
      made += 1;
      return tag(value);
    },
  });
  // More groups than are kept, each with its devices far apart.
  const groups = Array.from({ length: 40 }, (_, n) => `group_${n}`);
  const schedules = groups.map((name) => ({ ...schedule(name, name, 'pl_a'), targets: [counted(name)] }));
  const devices = Array.from({ length: 400 }, (_, n) =>
    member({ id: `dev_${n}`, tags: [`group_${n % 40}`, `own_${n}`] }),
  );
  const manifests = createManifests(world({ schedules }), hash);
  made = 0;
  expect(new Set((await manifests.revisionsOf(devices, pause)).values()).size).toBe(400);
  expect(made).toBe(40);
});
