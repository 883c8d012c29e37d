import { operations } from '@placard/protocol/api';
import { z } from 'zod';
import { createApi } from '../support/api.ts';
import type { Chance } from '../support/chance.ts';
import type { Answer, Client } from '../support/client.ts';
import type { KeyRing } from '../support/key-ring.ts';
import { noisePng } from '../support/media.ts';
import { pairScreen } from '../support/player.ts';
import { multipart } from '../support/upload.ts';
import { ODD_TEXTS } from './values.ts';

/** Ids that are there, and secrets that work: without them a fuzzer only ever meets the door. */
export interface Pool {
  adminKey(): Promise<string>;
  deviceToken(): Promise<string>;
  /** A live value for a property of this name. */
  known(name: string, chance: Chance): unknown;
  pathId(path: string, name: string, chance: Chance): string;
  /** The example of a document, with ids that are there. */
  relive(value: unknown, chance: Chance): unknown;
  /** An upload, good or odd. */
  form(chance: Chance): { body: Buffer; contentType: string };
  /** Takes new ids out of an answer, forgets removed ones. */
  learn(method: string, path: string, answer: Answer): Promise<void>;
}

const started = z.object({ pairing_id: z.string(), code: z.string(), poll_token: z.string() });
const playlist = z.object({ id: z.string(), items: z.array(z.object({ id: z.string() })) });
const delivery = z.object({ id: z.string().startsWith('dlv_'), webhook_id: z.string() });
const DEVICE_LIMIT = 120;
const WINDOW_MS = 61_500;
const ID = /\b(dev|asset|folder|pl|item|sch|rule|store|cmd|whk|key|dep|dlv|pair)_[0-9a-z]{20,30}\b/g;
const BY_NAME: Readonly<Record<string, string>> = {
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
const BY_PATH: readonly (readonly [string, string])[] = [
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
];
// Only addresses of this machine: nothing that is broken here may knock at somebody else's door.
const ADDRESSES = [
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

export async function createPool(deps: {
  client: Client;
  ring: KeyRing;
  /** Answers GET with a picture and takes notifications. */
  receiver: string;
}): Promise<Pool> {
  const { client, ring } = deps;
  const api = createApi({ client, key: () => ring.take() });
  const ids = new Map<string, string[]>();
  const screens: { token: string; usedAtMs: number[] }[] = [];
  let serial = 0;
  /** The newest session of a screen that waits to be paired. */
  let session: z.infer<typeof started> | null = null;
  /** Things that only exist inside another: the newest item with its playlist, the newest delivery with its webhook. */
  const inside = new Map<string, { outer: string; inner: string }>();

  const keep = (id: string) => {
    const kind = id.slice(0, id.indexOf('_'));
    const list = ids.get(kind) ?? [];
    if (list.includes(id)) return;
    // The newest few are enough; older ones are mostly gone.
    ids.set(kind, [...list.slice(-19), id]);
  };
  const live = (kind: string, chance: Chance) => {
    const list = ids.get(kind) ?? [];
    return list.length === 0 ? `${kind}_0000000000zzzzzzzzzzzzzzzz` : chance.pick(list);
  };
  const newScreen = async () => {
    const { token, deviceId } = await pairScreen(
      api,
      `FUZZ-${serial}`,
      { tags: ['counter'] },
      `127.0.1.${1 + (serial++ % 250)}`,
    );
    keep(deviceId);
    const command = { params: { id: deviceId }, body: { command: 'REFRESH', expires_in: 86_400 } };
    keep((await api.get(operations.sendCommand, command)).id);
    const screen = { token, usedAtMs: [performance.now()] };
    screens.push(screen);
    return screen;
  };
  await newScreen();
  const furnish = async () => {
    const { body, contentType } = multipart(
      {},
      { fileName: 'a.png', contentType: 'image/png', bytes: noisePng(7, 7) },
    );
    const uploaded = await client.send({
      method: 'POST',
      path: '/v1/content/upload',
      key: await ring.take(),
      body,
      headers: { 'content-type': contentType },
    });
    const asset = operations.uploadContent.data.parse(uploaded.data);
    const { id: store } = await api.get(operations.createStore, { body: { name: 'Fuzz' } });
    const { id: folder } = await api.get(operations.createFolder, { body: { name: 'Fuzz' } });
    const items = [{ content_id: asset.id, duration: 5, weight: 2 }];
    const { id: playlist } = await api.get(operations.createPlaylist, { body: { name: 'Fuzz', items } });
    const { id: webhook } = await api.get(operations.createWebhook, {
      body: { url: deps.receiver, events: ['playlist.created', 'content.created'] },
    });
    const { id: schedule } = await api.get(operations.createSchedule, { body: { name: 'Fuzz' } });
    for (const id of [asset.id, store, folder, playlist, schedule, webhook]) keep(id);
  };
  for (let n = 0; n < 3; n++) await furnish();

  const pool: Pool = {
    adminKey: () => ring.take(),
    async deviceToken() {
      const since = performance.now() - WINDOW_MS;
      let screen = screens.at(-1);
      if (screen) screen.usedAtMs = screen.usedAtMs.filter((at) => at > since);
      if (!screen || screen.usedAtMs.length >= DEVICE_LIMIT - 2) screen = await newScreen();
      screen.usedAtMs.push(performance.now());
      return screen.token;
    },
    known(name, chance) {
      if (name === 'code') return session?.code;
      if (name === 'poll_token') return session?.poll_token;
      if (name === 'url') return chance.once(2) ? deps.receiver : chance.pick(ADDRESSES);
      const kind = BY_NAME[name];
      return kind === undefined ? undefined : live(kind, chance);
    },
    pathId(path, name, chance) {
      const pair = inside.get(
        path.includes('{delivery_id}') ? 'dlv' : path.includes('{item_id}') ? 'item' : '',
      );
      if (pair && !chance.once(5)) return name === 'id' ? pair.outer : pair.inner;
      if (name !== 'id') return live(name === 'delivery_id' ? 'dlv' : (BY_NAME[name] ?? 'item'), chance);
      if (path.startsWith('/v1/player/pairing/') && session) return session.pairing_id;
      const kind = BY_PATH.find(([start]) => path.startsWith(start))?.[1];
      return live(kind ?? 'dev', chance);
    },
    relive(value, chance) {
      if (Array.isArray(value)) return value.map((one) => pool.relive(one, chance));
      if (typeof value === 'object' && value !== null)
        return Object.fromEntries(
          Object.entries(value).map(([name, one]) => [
            name,
            pool.known(name, chance) ?? pool.relive(one, chance),
          ]),
        );
      if (typeof value !== 'string') return value;
      return value.replace(ID, (_, kind: string) => live(kind, chance));
    },
    form(chance) {
      const fields: Record<string, string> = {};
      for (const name of ['name', 'tags', 'folder_id', 'colour'])
        if (chance.once(name === 'colour' ? 8 : 3))
          fields[name] =
            name === 'folder_id' && chance.once(2) ? live('folder', chance) : chance.pick(ODD_TEXTS);
      const bytes = chance.pick([
        noisePng(5, 3),
        noisePng(16, 16),
        Buffer.alloc(0),
        Buffer.from('<html>'),
        Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]),
        noisePng(8, 8).subarray(0, 60),
        Buffer.from('RIFF\u0010\u0000\u0000\u0000WEBPVP8 '),
        Buffer.from(
          '\u0000\u0000\u0000\u0018ftypisom\u0000\u0000\u0000\u0000isommp42\u0000\u0000\u0000\u0008moov',
        ),
        Buffer.from('GIF89a\u0001\u0000\u0001\u0000'),
      ]);
      const fileName = chance.pick(['menu.png', '', '../../evil.png', 'a"b.png', 'ünï.png', 'x'.repeat(400)]);
      return multipart(fields, chance.once(10) ? null : { fileName, contentType: 'image/png', bytes });
    },
    async learn(method, path, answer) {
      // One of our screens was removed by the way.
      if (answer.code === 'DEVICE_UNPAIRED') screens.pop();
      if (answer.code !== null) return;
      if (method === 'DELETE') {
        const gone = path.split('?')[0]!.split('/').at(-1)!;
        for (const [kind, list] of ids)
          ids.set(
            kind,
            list.filter((id) => id !== gone),
          );
        const few = (kind: string) => (ids.get(kind)?.length ?? 0) < 3;
        if (['asset', 'store', 'folder', 'pl', 'sch', 'whk'].some(few)) await furnish();
        if (few('dev')) await newScreen();
        return;
      }
      session = started.safeParse(answer.data).data ?? session;
      const list = playlist.safeParse(answer.data).data;
      const item = list?.items.at(-1);
      if (list && item) inside.set('item', { outer: list.id, inner: item.id });
      const sent = delivery.safeParse(answer.data).data;
      if (sent) inside.set('dlv', { outer: sent.webhook_id, inner: sent.id });
      // Of keys only those made here: the list also names the ones that this very program uses.
      for (const [id] of answer.text.matchAll(ID)) if (method === 'POST' || !id.startsWith('key_')) keep(id);
    },
  };
  return pool;
}
