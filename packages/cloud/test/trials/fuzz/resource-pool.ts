import { operations } from '@placard/protocol/api';
import { z } from 'zod';
import { createApi } from '../support/api.ts';
import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import type { ApiResponse, HttpClient } from '../support/http-client.ts';
import type { KeyRing } from '../support/key-ring.ts';
import { randomPng } from '../support/media.ts';
import { buildReportedState, pairDevice } from '../support/paired-device.ts';
import { multipart } from '../support/multipart.ts';
import { waitFor } from '../support/wait-for.ts';
import { EDGE_CASE_TEXTS } from './values.ts';

/** Existing ids and valid secrets: without them a fuzzer gets only 401 and 404. */
export interface ResourcePool {
  adminKey(): Promise<string>;
  deviceToken(): Promise<string>;
  /** An existing value for a property of this name. */
  valueFor(name: string, random: SeededRandom): unknown;
  pathParameter(path: string, name: string, random: SeededRandom): string;
  /** Replaces the ids in a documented example with existing ones. */
  withLiveIds(value: unknown, random: SeededRandom): unknown;
  /** An upload, valid or malformed. */
  buildUpload(random: SeededRandom): { body: Buffer; contentType: string };
  /** Adds new ids from a response and removes deleted ones. */
  learnFrom(method: string, path: string, response: ApiResponse): Promise<void>;
}

const pairingStart = z.object({ pairing_id: z.string(), code: z.string(), poll_token: z.string() });
const playlist = z.object({ id: z.string(), items: z.array(z.object({ id: z.string() })) });
const delivery = z.object({ id: z.string().startsWith('dlv_'), webhook_id: z.string() });
const DEVICE_LIMIT = 120;
const WINDOW_MS = 61_500;
const DAY_MS = 24 * 60 * 60_000;
const ANY_FAULT = { type: 'fault', code: null, minutes: 0 };
const ID =
  /\b(dev|asset|folder|pl|item|sch|rule|store|cmd|whk|key|dep|dlv|pair|alert|arule|amute|rollout)_[0-9a-z]{20,30}\b/g;
const KIND_BY_PROPERTY: Readonly<Record<string, string>> = {
  content_id: 'asset',
  playlist_id: 'pl',
  device_id: 'dev',
  store_id: 'store',
  folder_id: 'folder',
  parent_id: 'folder',
  schedule_id: 'sch',
  rule_id: 'rule',
  item_id: 'item',
};
const KIND_BY_PATH: readonly (readonly [string, string])[] = [
  ['/v1/content/folders', 'folder'],
  ['/v1/content', 'asset'],
  ['/v1/devices', 'dev'],
  ['/v1/playlists', 'pl'],
  ['/v1/schedules', 'sch'],
  ['/v1/stores', 'store'],
  ['/v1/commands', 'cmd'],
  ['/v1/player/commands', 'cmd'],
  ['/v1/player/pairing', 'pair'],
  ['/v1/webhooks', 'whk'],
  ['/v1/api-keys', 'key'],
  ['/v1/alerts', 'alert'],
  ['/v1/alert-rules', 'arule'],
  ['/v1/alert-mutes', 'amute'],
  ['/v1/rollouts', 'rollout'],
];
// Only local addresses: the fuzzer must not send requests to other machines.
const URLS = [
  'http://127.0.0.1:9/menu.png',
  'http://127.0.0.1:9/hook',
  'http://localhost:9/hook',
  'https://127.0.0.1:9/',
  'http://[::1]:9/x',
  'http://2130706433:9/',
  'file:///etc/passwd',
  'javascript:1',
  '//127.0.0.1/x',
  'http://',
  'http://user:pass@127.0.0.1:9/',
];

export async function createResourcePool(deps: {
  client: HttpClient;
  ring: KeyRing;
  /** A server that serves an image on GET and accepts webhook deliveries. */
  receiver: string;
}): Promise<ResourcePool> {
  const { client, ring } = deps;
  const api = createApi({ client, key: () => ring.take() });
  const ids = new Map<string, string[]>();
  const devices: { token: string; usedAtMs: number[] }[] = [];
  let serial = 0;
  /** The newest pairing session that is not confirmed. */
  let pairingSession: z.infer<typeof pairingStart> | null = null;
  /** Nested resources: the newest item with its playlist, the newest delivery with its webhook. */
  const nestedIds = new Map<string, { outer: string; inner: string }>();

  const rememberId = (id: string) => {
    const kind = id.slice(0, id.indexOf('_'));
    const list = ids.get(kind) ?? [];
    if (list.includes(id)) {
      return;
    }
    // The newest are enough; older ones are mostly deleted.
    ids.set(kind, [...list.slice(-19), id]);
  };
  const pickId = (kind: string, random: SeededRandom) => {
    const list = ids.get(kind) ?? [];
    return list.length === 0 ? `${kind}_0000000000zzzzzzzzzzzzzzzz` : random.pick(list);
  };
  const pairNewDevice = async () => {
    const { token, deviceId } = await pairDevice(
      api,
      `FUZZ-${serial}`,
      { tags: ['counter'] },
      `127.0.1.${1 + (serial++ % 250)}`,
    );
    rememberId(deviceId);
    const command = { params: { id: deviceId }, body: { command: 'REFRESH', expires_in: 86_400 } };
    rememberId((await api.expectSuccess(operations.sendCommand, command)).id);
    const screen = { token, usedAtMs: [performance.now()] };
    devices.push(screen);
    return screen;
  };
  const { token: key } = await pairNewDevice();
  const createResources = async () => {
    const { body, contentType } = multipart(
      {},
      { fileName: 'a.png', contentType: 'image/png', bytes: randomPng(7, 7) },
    );
    const uploaded = await client.send({
      method: 'POST',
      path: '/v1/content/upload',
      key: await ring.take(),
      body,
      headers: { 'content-type': contentType },
    });
    const asset = operations.uploadContent.data.parse(uploaded.data);
    const { id: store } = await api.expectSuccess(operations.createStore, { body: { name: 'Fuzz' } });
    const { id: folder } = await api.expectSuccess(operations.createFolder, { body: { name: 'Fuzz' } });
    const items = [{ content_id: asset.id, duration: 5, weight: 2 }];
    const { id: playlist } = await api.expectSuccess(operations.createPlaylist, {
      body: { name: 'Fuzz', items },
    });
    const { id: webhook } = await api.expectSuccess(operations.createWebhook, {
      body: { url: deps.receiver, events: ['playlist.created', 'content.created'] },
    });
    const { id: schedule } = await api.expectSuccess(operations.createSchedule, { body: { name: 'Fuzz' } });
    for (const id of [asset.id, store, folder, playlist, schedule, webhook]) {
      rememberId(id);
    }
    // Of these there may be as many as are allowed.
    const limited = [
      await api.call(operations.createAlertRule, { body: { name: 'Fuzz', condition: ANY_FAULT } }),
      await api.call(operations.createAlertMute, {
        body: { target: { type: 'store', id: store }, until: new Date(Date.now() + DAY_MS).toISOString() },
      }),
      await api.call(operations.createRollout, { body: { version: '9.9.9' } }),
    ];
    for (const { data } of limited) {
      if (data) {
        rememberId(data.id);
      }
    }
  };
  for (let n = 0; n < 3; n++) {
    await createResources();
  }
  const faults = [{ code: 'network.offline', since: new Date().toISOString() }];
  await api.expectSuccess(operations.sendHeartbeats, {
    key,
    body: { samples: [], state: { ...buildReportedState(), faults } },
  });
  await waitFor(
    'an alert',
    async () => {
      const alerts = await api.expectSuccess(operations.listAlerts);
      alerts.forEach(({ id }) => rememberId(id));
      return alerts.length > 0;
    },
    60_000,
    500,
  );

  const pool: ResourcePool = {
    adminKey: () => ring.take(),
    async deviceToken() {
      const since = performance.now() - WINDOW_MS;
      let screen = devices.at(-1);
      if (screen) {
        screen.usedAtMs = screen.usedAtMs.filter((at) => at > since);
      }
      if (!screen || screen.usedAtMs.length >= DEVICE_LIMIT - 2) {
        screen = await pairNewDevice();
      }
      screen.usedAtMs.push(performance.now());
      return screen.token;
    },
    valueFor(name, random) {
      if (name === 'code') {
        return pairingSession?.code;
      }
      if (name === 'poll_token') {
        return pairingSession?.poll_token;
      }
      if (name === 'url') {
        return random.oneIn(2) ? deps.receiver : random.pick(URLS);
      }
      const kind = KIND_BY_PROPERTY[name];
      return kind === undefined ? undefined : pickId(kind, random);
    },
    pathParameter(path, name, random) {
      const pair = nestedIds.get(
        path.includes('{delivery_id}') ? 'dlv' : path.includes('{item_id}') ? 'item' : '',
      );
      if (pair && !random.oneIn(5)) {
        return name === 'id' ? pair.outer : pair.inner;
      }
      if (name !== 'id') {
        return pickId(name === 'delivery_id' ? 'dlv' : (KIND_BY_PROPERTY[name] ?? 'item'), random);
      }
      if (path.startsWith('/v1/player/pairing/') && pairingSession) {
        return pairingSession.pairing_id;
      }
      const kind = KIND_BY_PATH.find(([start]) => path.startsWith(start))?.[1];
      return pickId(kind ?? 'dev', random);
    },
    withLiveIds(value, random) {
      if (Array.isArray(value)) {
        return value.map((one) => pool.withLiveIds(one, random));
      }
      if (typeof value === 'object' && value !== null) {
        return Object.fromEntries(
          Object.entries(value).map(([name, one]) => [
            name,
            pool.valueFor(name, random) ?? pool.withLiveIds(one, random),
          ]),
        );
      }
      if (typeof value !== 'string') {
        return value;
      }
      return value.replace(ID, (_, kind: string) => pickId(kind, random));
    },
    buildUpload(random) {
      const fields: Record<string, string> = {};
      for (const name of ['name', 'tags', 'folder_id', 'colour']) {
        if (random.oneIn(name === 'colour' ? 8 : 3)) {
          fields[name] =
            name === 'folder_id' && random.oneIn(2) ? pickId('folder', random) : random.pick(EDGE_CASE_TEXTS);
        }
      }
      const bytes = random.pick([
        randomPng(5, 3),
        randomPng(16, 16),
        Buffer.alloc(0),
        Buffer.from('<html>'),
        Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]),
        randomPng(8, 8).subarray(0, 60),
        Buffer.from('RIFF\u0010\u0000\u0000\u0000WEBPVP8 '),
        Buffer.from(
          '\u0000\u0000\u0000\u0018ftypisom\u0000\u0000\u0000\u0000isommp42\u0000\u0000\u0000\u0008moov',
        ),
        Buffer.from('GIF89a\u0001\u0000\u0001\u0000'),
      ]);
      const fileName = random.pick(['menu.png', '', '../../evil.png', 'a"b.png', 'ünï.png', 'x'.repeat(400)]);
      return multipart(fields, random.oneIn(10) ? null : { fileName, contentType: 'image/png', bytes });
    },
    async learnFrom(method, path, response) {
      // One of our devices was removed by another request.
      if (response.code === 'DEVICE_UNPAIRED') {
        devices.pop();
      }
      if (response.code !== null) {
        return;
      }
      if (method === 'DELETE') {
        const deletedId = path.split('?')[0]!.split('/').at(-1)!;
        for (const [kind, list] of ids) {
          ids.set(
            kind,
            list.filter((id) => id !== deletedId),
          );
        }
        const isScarce = (kind: string) => (ids.get(kind)?.length ?? 0) < 3;
        if (['asset', 'store', 'folder', 'pl', 'sch', 'whk', 'arule', 'amute'].some(isScarce)) {
          await createResources();
        }
        if (isScarce('dev')) {
          await pairNewDevice();
        }
        return;
      }
      pairingSession = pairingStart.safeParse(response.data).data ?? pairingSession;
      const list = playlist.safeParse(response.data).data;
      const item = list?.items.at(-1);
      if (list && item) {
        nestedIds.set('item', { outer: list.id, inner: item.id });
      }
      const sent = delivery.safeParse(response.data).data;
      if (sent) {
        nestedIds.set('dlv', { outer: sent.webhook_id, inner: sent.id });
      }
      // Only keys created by the fuzzer: the list also contains the keys that this program uses.
      for (const [id] of response.text.matchAll(ID)) {
        if (method === 'POST' || !id.startsWith('key_')) {
          rememberId(id);
        }
      }
    },
  };
  return pool;
}
