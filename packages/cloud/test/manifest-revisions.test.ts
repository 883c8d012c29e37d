import { array, assert, asyncProperty, boolean, constantFrom, integer, record } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import type { Db } from '../src/database/db.ts';
import { deviceRepository } from '../src/database/devices.ts';
import { createManifests } from '../src/database/manifests.ts';
import { blobName } from '../src/domain/media-formats.ts';
import { createZoneTableCache } from '../src/domain/zone-table.ts';
import { sha256Hex } from '../src/http-server/secrets.ts';
import { expectedRevision, inputsOf } from './support/manifest-content.ts';
import { png } from './support/media.ts';
import { buildReportedState, pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

const hash = (text: string) => sha256Hex(text).slice(0, 32);
const TAGS = ['a', 'b', 'c'];
const ZONES = ['Asia/Tokyo', 'America/New_York', null];

interface Screen extends PairedDevice {
  /** Revisions of its welcome and its pushes. */
  told: string[];
  /** How many of these were counted, the welcome included. */
  counted: number;
  /** How many pushes, and edits, there have been since the welcome. */
  pushes: number;
  edits: number;
}

let cloud: TestCloud;
let db: Db;
const screens: Screen[] = [];
const stores: string[] = [];
const playlists: string[] = [];
const schedules: string[] = [];
const assets: string[] = [];

beforeAll(async () => {
  cloud = await startTestCloud();
  db = await cloud.openDb();
  for (let n = 0; n < 4; n++) {
    const paired = await pairDevice(cloud, { tags: TAGS.slice(n) });
    const screen = { ...paired, told: [], counted: 0, pushes: 0, edits: 0 };
    screens.push(screen);
    await connect(screen);
  }
});
afterAll(async () => {
  await db.destroy();
  await cloud.close();
});

async function connect(screen: Screen): Promise<void> {
  const socket = await openPlayerSocket(cloud.cloud.url, screen.token);
  const { told } = screen;
  // The revision of the welcome is not a change.
  const first = await socket.next();
  if (first.type === 'welcome') {
    told.push(first.manifest_revision);
  }
  screen.counted = told.length;
  void (async () => {
    for (;;) {
      const message = await socket.next();
      if (message.type === 'manifest_changed') {
        told.push(message.revision);
      }
    }
  })();
}

/** The revisions as computed from all that is in the database, with nothing kept from before. */
async function revisionsFromScratch(): Promise<Map<string, string>> {
  const { content } = await createManifests({
    db,
    findDevices: () => [],
    hash,
    clock: cloud.clock,
    zoneTables: createZoneTableCache(process.versions.tz ?? 'unknown'),
    assetUrl: (sha256, format) => `${cloud.cloud.publicUrl}/cdn/${blobName(sha256, format)}`,
    mediaHosts: () => [new URL(cloud.cloud.publicUrl).host],
  }).load();
  const devices = await deviceRepository(db).findManifestDevices(screens.map(({ deviceId }) => deviceId));
  return new Map(devices.map((device) => [device.id, expectedRevision(inputsOf(content), device, hash)]));
}

interface Edit {
  kind: string;
  pick: number;
  other: number;
  flag: boolean;
}

const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];
const oneOf = (list: readonly string[], index: number) => at(list, index) ?? 'none';
const without = (list: string[], id: string) =>
  void list.splice(0, list.length, ...list.filter((each) => each !== id));

function targetsOf({ pick, other, flag }: Edit) {
  const device = { type: 'device', id: at(screens, other)?.deviceId };
  const tag = { type: 'tag', value: at([...TAGS, 'nobody'], pick) };
  const store = at(stores, other);
  return [
    [tag],
    [device],
    store === undefined ? [tag, device] : [{ type: 'store', id: store }, tag],
    [{ type: 'all' }, device],
  ][pick % 4]!.slice(0, flag ? 1 : 2);
}

const rulesOf = ({ other, flag }: Edit) =>
  [other, ...(flag ? [other + 1] : [])].map((n) => ({
    playlist_id: at(playlists, n),
    start_time: '08:00',
    end_time: '09:00',
    days: ['MON'],
    priority: n % 3,
    local_time: n % 2 === 0,
  }));

/** Some are refused, because what they name does not exist: they change nothing. */
const EDITS: Record<string, (edit: Edit) => Promise<unknown>> = {
  async upload({ pick, other }) {
    const { data } = await cloud.admin.upload(await png(pick * 100 + other, 1, 1), 'a.png');
    assets.push(data.id);
  },
  async deleteContent({ pick }) {
    const id = oneOf(assets, pick);
    without(assets, id);
    await cloud.admin.delete(`/v1/content/${id}`);
  },
  async createPlaylist({ pick, flag }) {
    const items = flag && assets.length > 0 ? [{ content_id: at(assets, pick) }] : [];
    const { status, data } = await cloud.admin.post('/v1/playlists', { name: 'P', items });
    if (status === 201) {
      playlists.push(data.id);
    }
  },
  changePlaylist: ({ pick, other, flag }) =>
    cloud.admin.patch(`/v1/playlists/${oneOf(playlists, pick)}`, {
      name: flag ? 'P' : `P${other}`,
      items: assets.slice(other % 3).map((content_id) => ({ content_id })),
    }),
  async deletePlaylist({ pick }) {
    const id = oneOf(playlists, pick);
    if ((await cloud.admin.delete(`/v1/playlists/${id}`)).status === 200) {
      without(playlists, id);
    }
  },
  async createSchedule(edit) {
    const body = { name: 'S', is_active: edit.flag, rules: rulesOf(edit), targets: targetsOf(edit) };
    const { status, data } = await cloud.admin.post('/v1/schedules', body);
    if (status === 201) {
      schedules.push(data.id);
    }
  },
  changeSchedule: (edit) =>
    cloud.admin.patch(`/v1/schedules/${oneOf(schedules, edit.pick)}`, {
      is_active: edit.flag,
      ...(edit.other % 2 === 0 ? { targets: targetsOf(edit) } : { rules: rulesOf(edit) }),
    }),
  async deleteSchedule({ pick }) {
    const id = oneOf(schedules, pick);
    without(schedules, id);
    await cloud.admin.delete(`/v1/schedules/${id}`);
  },
  deploy: (edit) =>
    cloud.admin.post(`/v1/playlists/${oneOf(playlists, edit.other)}/deploy`, { targets: targetsOf(edit) }),
  async createStore({ pick }) {
    const store = { name: 'Store', timezone: at(ZONES, pick) };
    stores.push((await cloud.admin.post('/v1/stores', store)).data.id);
  },
  changeStore: ({ pick, other }) =>
    cloud.admin.patch(`/v1/stores/${oneOf(stores, pick)}`, { timezone: at(ZONES, other) }),
  async deleteStore({ pick }) {
    const id = oneOf(stores, pick);
    without(stores, id);
    await cloud.admin.delete(`/v1/stores/${id}`);
  },
  changeDevice: ({ pick, other, flag }) =>
    cloud.admin.patch(`/v1/devices/${at(screens, pick)?.deviceId}`, {
      name: flag ? 'Screen' : `Screen ${other}`,
      tags: TAGS.slice(other % 4),
      store_id: flag ? (at(stores, other) ?? null) : null,
    }),
  async replaceDevice({ pick, other, flag }) {
    const screen = at(screens, pick);
    // Rarely: pairing takes as long as ten edits.
    if (!screen || other !== 0) {
      return;
    }
    await cloud.admin.delete(`/v1/devices/${screen.deviceId}`);
    const paired = await pairDevice(cloud, flag ? { tags: TAGS } : {});
    Object.assign(screen, paired, { told: [], counted: 0, pushes: 0, edits: 0 });
    await connect(screen);
  },
  timezone: ({ flag }) => cloud.admin.patch('/v1/organization', { timezone: flag ? 'Europe/Berlin' : 'UTC' }),
};

/** More often than they are deleted, so that there is something to show. */
const FREQUENT = [
  'upload',
  'createPlaylist',
  'createSchedule',
  'createStore',
  'deploy',
  'deploy',
  'changePlaylist',
  'changeDevice',
];

const edit = record({
  kind: constantFrom(...Object.keys(EDITS), ...FREQUENT),
  pick: integer({ min: 0, max: 7 }),
  other: integer({ min: 0, max: 7 }),
  flag: boolean(),
});

test(
  'after any edits, also at once, each device has the revision that its content gives, and is told it once',
  { timeout: 300_000 },
  async () => {
    let pushes = 0;
    await assert(
      asyncProperty(array(array(edit, { minLength: 1, maxLength: 3 }), { maxLength: 10 }), async (steps) => {
        for (const edits of steps) {
          await Promise.all(edits.map(async (each) => EDITS[each.kind]?.(each)));
          const expected = await revisionsFromScratch();
          for (const screen of screens) {
            const revision = expected.get(screen.deviceId);
            await eventually(() => expect(screen.told.at(-1)).toBe(revision));
            const more = screen.told.length - screen.counted;
            screen.counted = screen.told.length;
            screen.pushes += more;
            pushes += more;
            // Those of edits that undo each other may arrive later than they are awaited.
            screen.edits += edits.length;
            expect(screen.pushes).toBeLessThanOrEqual(screen.edits);
            expect(screen.told.every((each, index) => each !== screen.told[index - 1])).toBe(true);
          }
          const screen = at(screens, edits[0]?.pick ?? 0)!;
          const revision = expected.get(screen.deviceId);
          const manifest = await screen.client.get('/v1/player/manifest');
          expect([manifest.data.revision, manifest.headers.get('etag')]).toEqual([revision, `"${revision}"`]);
          const detail = await cloud.admin.get(`/v1/devices/${screen.deviceId}`);
          expect(detail.data.configuration.manifest_revision).toBe(revision);
          const heartbeat = { samples: [], state: buildReportedState() };
          const answer = await screen.client.post('/v1/player/heartbeats', heartbeat);
          expect(answer.data.manifest_revision).toBe(revision);
        }
      }),
      { numRuns: 24 },
    );
    // The test is valid only if edits changed what devices show.
    expect(pushes).toBeGreaterThan(20);
  },
);
