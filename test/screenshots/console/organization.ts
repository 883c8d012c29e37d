import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { ConsoleRig } from '../../e2e/console-rig.ts';
import { createSeededRandom } from '../../support/seeded-random.ts';
import { addAlerts } from './alerts.ts';
import { HARDWARE } from './hardware.ts';
import { drawPosters } from './posters.ts';
import { addRollouts } from './rollouts.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DEVICES = 60;
/** Those that report until now. */
const ONLINE = 52;
const FLEET_SEED = 7;
const beaten = z.object({ data: z.object({ manifest_revision: z.string() }) });

const STORES = [
  { name: 'Berlin Alexanderplatz', address: 'Alexanderplatz 1', city: 'Berlin', country: 'DE' },
  { name: 'Hamburg Mönckebergstraße', city: 'Hamburg', region: 'Hamburg', country: 'DE' },
  {
    name: 'Einkaufszentrum Donaudampfschifffahrtsgesellschaft, Untergeschoss, Eingang Nordost',
    address: 'Landsberger Straße 155, Gebäudeteil C, 2. Obergeschoss',
    city: 'München',
    region: 'Bayern',
    country: 'DE',
  },
  { name: '渋谷店', city: '東京', country: 'JP', timezone: 'Asia/Tokyo' },
  { name: 'Lyon Part-Dieu', city: 'Lyon', country: 'FR', timezone: 'Europe/Paris' },
  { name: 'Madrid Gran Vía', city: 'Madrid', country: 'ES', timezone: 'Europe/Madrid' },
];

const PLACES = [
  'Schaufenster links',
  'Schaufenster rechts',
  'Kasse 1',
  'Kasse 2',
  'Menu board',
  'Entrance',
  '正面入口のデジタルサイネージ',
  'Escalier mécanique',
  'Obergeschoss, Umkleidekabinen Damen und Herren, Wegweiser',
  'Lift',
];
const TAGS = ['window', 'till', 'menu', 'portrait', 'entrance', 'Sonderaktion-Weihnachten'];
const FAULTY: Readonly<Record<number, string[]>> = {
  // More than half of the screens in Hamburg.
  ...Object.fromEntries([1, 7, 13, 25, 31].map((index) => [index, ['playback.decode_failed']])),
  3: ['disk.full'],
  11: ['asset.download_failed', 'cloud.tls'],
  17: ['playback.decode_failed'],
  26: ['playback.decode_failed'],
};

/** Every other device has an older player. */
const versionOf = (index: number) => (index % 2 === 1 ? '0.0.9' : '0.1.0');

/** What the scenes show. */
export interface Seeded {
  deviceId: string;
  quietDeviceId: string;
  storeId: string;
  assetId: string;
  folderId: string;
  playlistId: string;
  scheduleId: string;
  webhookId: string;
  /** Of a store. */
  alertId: string;
  alertRuleId: string;
  runningRolloutId: string;
  stoppedRolloutId: string;
  userId: string;
  /** A code of a screen that waits. */
  pairingCode: string;
  /** A link that has not been used. */
  invitation: string;
  /** Lets the screens that are not silent report again, once a minute. */
  keepOnline: () => Promise<void>;
}

/** Of an organization that has nothing. */
export const NOTHING: Seeded = {
  deviceId: '',
  quietDeviceId: '',
  storeId: '',
  assetId: '',
  folderId: '',
  playlistId: '',
  scheduleId: '',
  webhookId: '',
  alertId: '',
  alertRuleId: '',
  runningRolloutId: '',
  stoppedRolloutId: '',
  userId: '',
  pairingCode: '',
  invitation: '',
  keepOnline: async () => {},
};

/**
 * Fills an empty cloud as a chain of shops would: stores in several countries, long names, screens in every state, content, playlists,
 * schedules, people, keys, webhooks.
 *
 * @param setAhead sets how far the clock of the cloud is ahead of this machine's, in milliseconds
 */
export async function seedOrganization(
  rig: ConsoleRig,
  setAhead: (aheadMs: number) => void,
): Promise<Seeded> {
  const { admin } = rig;
  const random = createSeededRandom(FLEET_SEED);
  let aheadMs = -2 * DAY_MS;
  /** So that no limit per minute is reached, and entries have times of their own. */
  const pass = (ms: number) => setAhead((aheadMs = Math.min(aheadMs + ms, 0)));
  pass(0);
  await admin.organization.update({ name: 'Kaufhaus Sonnenschein', timezone: 'Europe/Berlin' });
  const stores = [];
  for (const store of STORES) {
    stores.push(await admin.stores.create(store));
  }
  const folder = await admin.folders.create({ name: 'Aktionen Winter' });
  await admin.folders.create({ name: '2026', parent_id: folder.id });
  await admin.folders.create({ name: 'Öffnungszeiten und Hinweise für alle Filialen' });
  const assets: { id: string }[] = [];
  for (const { file, name, tags } of await drawPosters()) {
    assets.push(await admin.content.upload({ file, name, tags: tags.join(',') }));
  }
  pass(10 * MINUTE_MS);
  const items = (indexes: readonly number[]) =>
    indexes.map((index) => ({ content_id: assets[index]!.id, duration: 8 + index }));
  const names: readonly (readonly [string, 'sequential' | 'shuffle' | 'weighted', number[]])[] = [
    ['Alltag', 'sequential', [0, 1, 4, 8, 5, 10]],
    ['Mittag', 'sequential', [1, 7]],
    [
      'Winterschlussverkauf mit allen Aktionen der Abteilungen Damen, Herren und Kinder',
      'weighted',
      [3, 6, 7],
    ],
    ['春のキャンペーン', 'shuffle', [6, 8]],
    ['Leer', 'sequential', []],
  ];
  const playlists = [];
  for (const [name, mode, indexes] of names) {
    playlists.push(
      await admin.playlists.create({
        name,
        mode,
        items: items(indexes).map((item, index) => ({
          ...item,
          ...(mode === 'weighted' && { weight: 3 - index }),
        })),
      }),
    );
  }
  const [everyday, lunch, sale] = playlists.map(({ id }) => id);
  await admin.playlists.deploy(everyday!, { targets: [{ type: 'all' }] });
  /** What some stores show instead, by their place in the list. */
  const own: Readonly<Record<number, string>> = { 1: lunch!, 3: playlists[3]!.id, 5: sale! };
  for (const [place, playlist] of Object.entries(own)) {
    await admin.playlists.deploy(playlist, {
      targets: [{ type: 'store', id: stores[Number(place)]!.id }],
    });
  }
  const schedule = await admin.schedules.create({
    name: 'Woche in den Filialen',
    targets: [
      { type: 'store', id: stores[0]!.id },
      { type: 'tag', value: 'menu' },
    ],
    rules: [
      {
        playlist_id: lunch!,
        start_time: '11:30',
        end_time: '14:30',
        days: ['MON', 'TUE', 'WED', 'THU', 'FRI'],
      },
      { playlist_id: sale!, start_time: '10:00', end_time: '20:00', days: ['SAT'], priority: 10 },
      { playlist_id: playlists[3]!.id, start_time: '16:00', end_time: '19:00', days: ['SAT'] },
      {
        playlist_id: sale!,
        start_time: '18:00',
        end_time: '23:00',
        rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;COUNT=10',
        starts_on: '2026-11-06',
        except_dates: ['2026-12-18'],
      },
    ],
  });
  await admin.schedules.create({
    name: 'Sonderöffnung an den Adventssonntagen in allen Filialen mit Weihnachtsmarkt',
    is_active: false,
    targets: [{ type: 'all' }],
    rules: [
      { playlist_id: sale!, start_time: '13:00', end_time: '18:00', days: ['SUN'], ends_on: '2026-12-24' },
    ],
  });

  await admin.schedules.create({
    name: 'Gottesdienst',
    targets: [{ type: 'all' }],
    rules: [{ playlist_id: sale!, start_time: '10:00', end_time: '12:00', days: ['SAT', 'SUN'] }],
  });

  const devices: { id: string; token: string; index: number }[] = [];
  for (let index = 0; index < DEVICES; index += 1) {
    pass(2 * MINUTE_MS);
    const { code, takeToken } = await rig.startPairing(`SN-${10_000 + index}`, {
      platform: index % 3 === 0 ? 'windows' : 'linux-arm64',
      type: index % 3 === 0 ? 'pc' : 'pi',
      model: index % 3 === 0 ? 'Intel NUC 13' : 'Raspberry Pi 5',
      player_version: index % 9 === 4 ? '0.0.9' : '0.1.0',
      hardware: HARDWARE,
    });
    const store = stores[index % stores.length]!;
    const device = await admin.devices.pair({
      code,
      name: `${random.pick(PLACES)} ${index + 1}`,
      store_id: index % 10 === 9 ? null : store.id,
      tags: TAGS.filter((_, tag) => (index + tag) % 5 === 0),
    });
    if (index % 4 === 3) {
      await admin.devices.update(device.id, { orientation: 'portrait' });
    }
    devices.push({ id: device.id, token: await takeToken(), index });
  }
  const itemsOf = new Map<string, { id: string; content_id: string }[]>();
  for (const id of [everyday!, ...Object.values(own)]) {
    itemsOf.set(id, (await admin.playlists.get(id)).items);
  }
  const shownBy = (index: number) =>
    index % 10 === 9 ? everyday! : (own[index % stores.length] ?? everyday!);
  const beat = async ({ token, index }: (typeof devices)[number], revision: string | null) => {
    const items = itemsOf.get(shownBy(index))!;
    const item = items[index % items.length]!;
    const nowMs = Date.now() + aheadMs;
    const answer = await rig.report(token, 'heartbeats', {
      samples: Array.from({ length: index === 0 ? 200 : 3 }, (_, sample) => ({
        measured_at: new Date(nowMs - sample * 7 * MINUTE_MS).toISOString(),
        cpu_percent: 22 + 12 * Math.sin(sample / 9) + random.below(6),
        memory_percent: 48 + 4 * Math.sin(sample / 31),
        disk_percent: 61,
        temperature_celsius: 52 + 6 * Math.sin(sample / 9),
        wifi_signal_dbm: index % 2 === 0 ? -57 - random.below(5) : null,
      })),
      state: {
        player_version: versionOf(index),
        shell: 'electron',
        uptime_seconds: 86_400 * (index + 1),
        applied_manifest_revision: revision,
        current: {
          playlist_id: shownBy(index),
          item_id: item.id,
          content_id: item.content_id,
          since: new Date(nowMs - 4_000).toISOString(),
        },
        storage: {
          cache_bytes: 214_000_000,
          free_bytes: 9_400_000_000,
          assets_held: 6,
          assets_missing: index % 7 === 5 ? 2 : 0,
        },
        faults: (FAULTY[index] ?? []).map((code) => ({
          code,
          since: new Date(nowMs - 3 * 3_600_000).toISOString(),
        })),
      },
    });
    return beaten.parse(answer).data.manifest_revision;
  };
  for (const device of devices.slice(0, 57)) {
    const revision = await beat(device, null);
    if (device.index % 13 !== 12) {
      await beat(device, revision);
    }
    await rig.sendPlays(
      device.token,
      itemsOf.get(shownBy(device.index))!.flatMap(({ content_id }, item) =>
        Array.from({ length: device.index % 6 }, (_, play) => ({
          content_id,
          at_ms: Date.now() + aheadMs - play * 5 * 3_600_000 - item * 90_000 - 60_000,
          ...(item === 3 && play === 1 && { outcome: 'failed' as const }),
        })),
      ),
    );
  }
  pass(3 * 60 * MINUTE_MS);
  // What follows says how it is now; those who are silent since are offline.
  setAhead((aheadMs = 0));
  let beatenAtMs = 0;
  const keepOnline = async () => {
    if (Date.now() - beatenAtMs < MINUTE_MS) {
      return;
    }
    beatenAtMs = Date.now();
    for (const device of devices.slice(0, ONLINE)) {
      const revision = await beat(device, null);
      if (device.index % 13 !== 12) {
        await beat(device, revision);
      }
    }
  };
  await keepOnline();
  const alerts = await addAlerts(rig, {
    mutedStoreId: stores.at(-1)!.id,
    report: async () => {
      for (const device of devices.filter(({ index }) => FAULTY[index] !== undefined)) {
        await beat(device, null);
      }
    },
  });
  await sendLogs(rig, devices[0]!);
  const rollouts = await addRollouts(
    rig,
    devices.slice(0, ONLINE).map(({ id, index }) => ({ id, index, version: versionOf(index) })),
  );
  return {
    ...(await addPeople(rig)),
    ...(await addWebhooks(rig)),
    ...(await waitingScreen(rig)),
    ...alerts,
    ...rollouts,
    keepOnline,
    deviceId: devices[0]!.id,
    quietDeviceId: devices[58]!.id,
    storeId: stores[2]!.id,
    assetId: assets[1]!.id,
    folderId: folder.id,
    playlistId: everyday!,
    scheduleId: schedule.id,
  };
}

/** The device is asked for its logs, and sends them. */
async function sendLogs(rig: ConsoleRig, { id, token }: { id: string; token: string }) {
  const request = await rig.admin.devices.requestLogs(id);
  const files = [
    { name: 'status.json', text: '{"state":"playing"}\n' },
    {
      name: 'runtime.log',
      text: Array.from(
        { length: 60 },
        (_, line) =>
          `2026-11-24T10:${String(line).padStart(2, '0')}:00.000Z info sync.finished revision=rev_41 files=6 missing=0 duration_ms=${line * 7}\n`,
      ).join(''),
    },
  ];
  await rig.report(token, 'logs', {
    command_id: request.id,
    taken_at: new Date().toISOString(),
    bundle: gzipSync(JSON.stringify({ files })).toString('base64'),
  });
}

async function addPeople(rig: ConsoleRig) {
  const { admin } = rig;
  for (const role of ['Viewer', 'Editor', 'Editor'] as const) {
    await rig.addPerson(role);
  }
  await admin.people.createInvitation({
    role: 'Viewer',
    email: 'auszubildende.der.dekorationsabteilung@kaufhaus-sonnenschein.example',
  });
  const stores = (await admin.stores.list().toArray()).slice(0, 2).map(({ id }) => id);
  const invited = await admin.people.createInvitation({ role: 'Editor', email: 'neu@example.com', stores });
  const [user] = await admin.people.listUsers().toArray();
  await admin.apiKeys.create({ name: 'Kassensystem', scope: 'Read' });
  await admin.apiKeys.create({
    name: 'Warenwirtschaft Filialen Nord, Preisschilder und Aktionen',
    scope: 'Write',
  });
  return { userId: user!.id, invitation: invited.url };
}

async function addWebhooks({ admin }: ConsoleRig) {
  const webhook = await admin.webhooks.create({
    url: 'https://hooks.kaufhaus-sonnenschein.example/placard/ereignisse?abteilung=technik&region=nord',
    events: ['device.offline', 'device.online', 'device.alert'],
  });
  await admin.webhooks.test(webhook.id);
  await admin.webhooks.create({ url: 'https://chat.example/hook', events: ['device.alert'] });
  return { webhookId: webhook.id };
}

async function waitingScreen(rig: ConsoleRig) {
  return { pairingCode: (await rig.startPairing('SN-WAITING')).code };
}
