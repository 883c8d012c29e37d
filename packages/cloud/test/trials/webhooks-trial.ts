import { operations } from '@placard/protocol/api';
import type { WebhookEvent } from '@placard/protocol/api';
import { createApi } from './support/api.ts';
import type { Api } from './support/api.ts';
import { must, short } from './support/breach.ts';
import { allDeliveries } from './support/deliveries.ts';
import type { Chance } from './support/chance.ts';
import { createClient } from './support/client.ts';
import { noisePng } from './support/media.ts';
import { openCloud } from './support/open-cloud.ts';
import type { OpenCloud } from './support/open-cloud.ts';
import { pairScreen, sample, state } from './support/player.ts';
import { openReceiver } from './support/receiver.ts';
import type { Receiver } from './support/receiver.ts';
import { readEvent } from './support/standard-webhook.ts';
import type { Event } from './support/standard-webhook.ts';
import { multipart } from './support/upload.ts';
import { waitFor } from './support/wait-for.ts';

const EVENTS: readonly WebhookEvent[] = [
  'device.paired',
  'device.online',
  'device.offline',
  'device.removed',
  'content.created',
  'content.deleted',
  'playlist.created',
  'playlist.updated',
  'playlist.deleted',
  'playlist.deployed',
  'schedule.activated',
  'schedule.deactivated',
  'schedule.changed',
  'command.finished',
];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export interface WebhooksReport {
  events: number;
  deliveries: number;
  /** Times that a receiver saw an event again, because it had not said yes. */
  again: number;
  byType: Record<string, number>;
}

interface Scene {
  cloud: OpenCloud;
  api: Api;
  receiver: Receiver;
  chance: Chance;
  webhookId: string;
  secret: string;
  /** What has to come, in the order in which it happened. */
  expected: { type: string; resource: string }[];
  events: Event[];
  next(): number;
  /** What a delivery was found to break, if any did. */
  problem: unknown;
}

/** A receiver that is well, ill, slow and gone by turns gets every event, signed, and in order per thing. */
export async function webhooksTrial(options: { rounds: number; chance: Chance }): Promise<WebhooksReport> {
  const cloud = await openCloud();
  const client = createClient({ url: cloud.url });
  const api = createApi({
    client,
    key() {
      cloud.pass(2_500);
      return cloud.adminKey;
    },
  });
  const events: Event[] = [];
  const receiver = await openReceiver((one) => {
    try {
      events.push(readEvent(one, scene.secret, cloud.nowMs()));
    } catch (error) {
      scene.problem ??= error;
    }
  });
  let count = 0;
  const scene: Scene = {
    cloud,
    api,
    receiver,
    chance: options.chance,
    webhookId: '',
    secret: '',
    expected: [],
    events,
    next: () => count++,
    problem: null,
  };
  try {
    const made = await api.get(operations.createWebhook, { body: { url: receiver.url, events: EVENTS } });
    Object.assign(scene, { webhookId: made.id, secret: made.secret });
    for (let round = 0; round < options.rounds; round++) {
      const ill = options.chance.pick(['well', 'down', 500, 302, 'cut', 'hang'] as const);
      await during(scene, ill, () => story(scene));
      if (scene.problem !== null) throw scene.problem;
    }
    await delivered(scene);
    if (scene.problem !== null) throw scene.problem;
    judge(scene);
    await testAndRetry(scene);
    await rotation(scene);
    await gone(scene);
    if (scene.problem !== null) throw scene.problem;
    const again = events.length - new Set(events.map((event) => event.id)).size;
    const byType = Object.groupBy(scene.expected, (event) => event.type);
    return {
      events: scene.expected.length,
      deliveries: events.length,
      again,
      byType: Object.fromEntries(Object.entries(byType).map(([type, list]) => [type, list?.length ?? 0])),
    };
  } finally {
    await client.close();
    await receiver.close();
    await cloud.close();
  }
}

type Ill = 'well' | 'down' | 'cut' | 'hang' | number;

/** Lets something happen while the receiver is ill, waits some of the day, and makes it well again. */
async function during(scene: Scene, ill: Ill, happen: () => Promise<void>): Promise<void> {
  const { receiver, cloud, chance } = scene;
  if (ill === 'down') await receiver.down();
  else if (ill !== 'well') receiver.behave(ill);
  await happen();
  // At most a few hours: ten tries have to reach beyond it.
  const untilMs = cloud.nowMs() + (ill === 'well' ? 0 : chance.int(3) * HOUR_MS);
  await waitFor(
    'time passes',
    () => {
      cloud.pass(10 * MINUTE_MS);
      return cloud.nowMs() >= untilMs;
    },
    60_000,
    15,
  );
  if (ill === 'down') await receiver.up();
  receiver.behave(204);
}

/** The life of a few things, told step by step. */
async function story(scene: Scene): Promise<void> {
  const { api, cloud, expected } = scene;
  const note = (type: string, resource: string) => expected.push({ type, resource });
  const n = scene.next();

  const form = multipart({}, { fileName: 'a.png', contentType: 'image/png', bytes: noisePng(6, 6) });
  const uploaded = await api.client.send({
    method: 'POST',
    path: '/v1/content/upload',
    key: cloud.adminKey,
    body: form.body,
    headers: { 'content-type': form.contentType },
  });
  const asset = operations.uploadContent.data.parse(uploaded.data);
  note('content.created', asset.id);
  const playlist = await api.get(operations.createPlaylist, {
    body: { name: `Story ${n}`, items: [{ content_id: asset.id }] },
  });
  note('playlist.created', playlist.id);
  const params = { id: playlist.id };
  await api.get(operations.updatePlaylist, { params, body: { name: `Story ${n}, again` } });
  note('playlist.updated', playlist.id);

  const { deviceId, token } = await pairScreen(api, `STORY-${n}`, {}, `127.0.4.${1 + (n % 250)}`);
  note('device.paired', deviceId);
  await api.get(operations.sendHeartbeats, {
    key: token,
    body: { samples: [sample(cloud.nowMs())], state: state() },
  });
  note('device.online', deviceId);
  await api.get(operations.deployPlaylist, { params, body: { targets: [{ type: 'device', id: deviceId }] } });
  note('playlist.deployed', playlist.id);

  const command = await api.get(operations.sendCommand, {
    params: { id: deviceId },
    body: { command: 'REFRESH' },
  });
  await api.get(operations.reportCommand, {
    params: { id: command.id },
    key: token,
    body: { status: 'succeeded' },
  });
  note('command.finished', command.id);

  const rule = { playlist_id: playlist.id, start_time: '09:00', end_time: '17:00', days: ['MON'] };
  const schedule = await api.get(operations.createSchedule, {
    body: { name: `Story ${n}`, is_active: false, rules: [rule] },
  });
  note('schedule.changed', schedule.id);
  await api.get(operations.activateSchedule, { params: { id: schedule.id } });
  note('schedule.activated', schedule.id);
  await api.get(operations.deactivateSchedule, { params: { id: schedule.id } });
  note('schedule.deactivated', schedule.id);
  await api.get(operations.deleteSchedule, { params: { id: schedule.id } });
  note('schedule.changed', schedule.id);

  await api.get(operations.deletePlaylist, { params });
  note('playlist.deleted', playlist.id);
  await api.get(operations.deleteContent, { params: { id: asset.id } });
  note('content.deleted', asset.id);
  await api.get(operations.deleteDevice, { params: { id: deviceId } });
  note('device.removed', deviceId);
}

const keyOf = (event: { type: string; resource: string }) => `${event.type} ${event.resource}`;

/** Waits until every expected event was taken. */
async function delivered(scene: Scene): Promise<void> {
  const { cloud, events, expected } = scene;
  let missing: string[] = [];
  let facts: unknown[] = [];
  await waitFor(
    () =>
      `every event arrived; missing: ${missing.join(', ')}; came: ${events
        .filter((event) => missing.includes(keyOf(event)))
        .map((event) => event.answered)
        .join(', ')}; deliveries: ${short(facts)}`,
    async () => {
      if (scene.problem !== null) throw scene.problem;
      const taken = new Set(events.filter((event) => event.answered === 204).map(keyOf));
      missing = expected.map(keyOf).filter((key) => !taken.has(key));
      if (missing.length === 0) return true;
      cloud.pass(HOUR_MS);
      if (facts.length === 0)
        facts = (await allDeliveries(scene.api, scene.webhookId))
          .filter((one) =>
            missing.some((key) => JSON.stringify(one.payload).includes(key.split(' ')[1] ?? '')),
          )
          .map(({ id, event, status, attempts, error }) => ({ id, event, status, attempts, error }));
      return false;
    },
    60_000,
    20,
  );
}

/** No stranger, no gap, no other content on another try, and in order per thing. */
function judge({ events, expected }: Scene): void {
  const wanted = new Set(expected.map(keyOf));
  for (const event of events)
    // Screens that were removed in the meantime may have gone offline before.
    must(wanted.has(keyOf(event)) || event.type === 'device.offline', 'an event that nobody caused', event);
  for (const tries of Map.groupBy(events, (event) => event.id).values()) {
    must(new Set(tries.map((event) => event.body)).size === 1, 'another try, another body', tries);
    must(
      tries.filter((event) => event.answered === 204).length === 1,
      'sent again after it was taken',
      tries,
    );
  }
  for (const [resource, list] of Map.groupBy(expected, (event) => event.resource)) {
    const taken = events.filter(
      (event) => event.resource === resource && event.answered === 204 && event.type !== 'device.offline',
    );
    must(
      JSON.stringify(taken.map((event) => event.type)) === JSON.stringify(list.map((event) => event.type)),
      `the events of ${resource} came in another order`,
      { taken: taken.map((event) => event.type), wanted: list.map((event) => event.type) },
    );
  }
}

async function testAndRetry({ api, events, webhookId, cloud }: Scene): Promise<void> {
  const params = { id: webhookId };
  const test = await api.get(operations.testWebhook, { params });
  const came = (times: number) => () => {
    cloud.pass(1_000);
    return events.filter((event) => event.id === test.id && event.answered === 204).length === times;
  };
  await waitFor('the test event came', came(1));
  await api.get(operations.retryDelivery, { params: { ...params, delivery_id: test.id } });
  await waitFor('the test event came again when asked', came(2));
  const { data: deliveries } = await api.call(operations.listDeliveries, { params, query: { limit: 5 } });
  must(
    deliveries?.some(
      (one) => one.id === test.id && one.status === 'succeeded' && one.response_status === 204,
    ),
    'the list of deliveries does not know',
    deliveries,
  );
}

/** Both secrets sign for a day, so that no receiver misses anything while it changes over. */
async function rotation(scene: Scene): Promise<void> {
  const { api, webhookId, events, cloud } = scene;
  const params = { id: webhookId };
  const arrives = async () => {
    const { id } = await api.get(operations.testWebhook, { params });
    await waitFor('a test event came', () => {
      cloud.pass(1_000);
      return events.some((event) => event.id === id);
    });
  };
  const { secret } = await api.get(operations.rotateWebhookSecret, { params });
  must(secret !== scene.secret && secret.startsWith('whsec_'), 'the secret did not change');
  await arrives();
  scene.secret = secret;
  await arrives();
  cloud.pass(25 * HOUR_MS);
  await arrives();
}

/** 410 switches a webhook off; nothing is sent any more. */
async function gone({ api, webhookId, receiver, cloud, events }: Scene): Promise<void> {
  const params = { id: webhookId };
  receiver.behave(410);
  await api.get(operations.testWebhook, { params });
  await waitFor('410 switched the webhook off', async () => {
    cloud.pass(1_000);
    const webhook = await api.get(operations.getWebhook, { params });
    return !webhook.is_active && webhook.disabled_reason !== null;
  });
  const before = events.length;
  await api.get(operations.createPlaylist, { body: { name: 'nobody is told' } });
  cloud.pass(HOUR_MS);
  await api.get(operations.getWebhook, { params });
  must(events.length === before, 'a webhook that is off was called', events.slice(before));
}
