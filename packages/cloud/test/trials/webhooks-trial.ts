import { operations } from '@placard/protocol/api';
import type { WebhookEvent } from '@placard/protocol/api';
import type { Api } from './support/api.ts';
import { assert, truncate } from './support/contract-violation.ts';
import { listAllDeliveries } from './support/deliveries.ts';
import type { SeededRandom } from '../../../../test/support/seeded-random.ts';
import { randomPng } from './support/media.ts';
import { startInProcessCloud } from './support/in-process-cloud.ts';
import type { InProcessCloud } from './support/in-process-cloud.ts';
import { pairDevice, buildSample, buildReportedState } from './support/paired-device.ts';
import { startWebhookReceiver } from './support/webhook-receiver.ts';
import type { WebhookReceiver } from './support/webhook-receiver.ts';
import { verifyDelivery } from './support/verify-delivery.ts';
import type { ReceivedEvent } from './support/verify-delivery.ts';
import { multipart } from './support/multipart.ts';
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
/** On a busy machine with PostgreSQL it takes minutes. */
const DELIVERY_LIMIT_MS = 5 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;

export interface WebhooksReport {
  events: number;
  deliveries: number;
  /** Repeated deliveries of events that the receiver had not accepted. */
  redeliveries: number;
  byType: Record<string, number>;
}

interface WebhookContext {
  cloud: InProcessCloud;
  api: Api;
  receiver: WebhookReceiver;
  random: SeededRandom;
  webhookId: string;
  secret: string;
  /** Expected events, in order. */
  expected: { type: string; resource: string }[];
  events: ReceivedEvent[];
  next(): number;
  /** The first violation found in a delivery, if any. */
  problem: unknown;
}

/** A receiver that works, fails, hangs and is down in turn gets every event, signed, and in order per resource. */
export async function webhooksTrial(options: {
  rounds: number;
  random: SeededRandom;
}): Promise<WebhooksReport> {
  const cloud = await startInProcessCloud();
  const { api } = cloud;
  const events: ReceivedEvent[] = [];
  const receiver = await startWebhookReceiver((one) => {
    try {
      events.push(verifyDelivery(one, context.secret, cloud.nowMs()));
    } catch (error) {
      context.problem ??= error;
    }
  });
  let count = 0;
  const context: WebhookContext = {
    cloud,
    api,
    receiver,
    random: options.random,
    webhookId: '',
    secret: '',
    expected: [],
    events,
    next: () => count++,
    problem: null,
  };
  try {
    const made = await api.expectSuccess(operations.createWebhook, {
      body: { url: receiver.url, events: EVENTS },
    });
    Object.assign(context, { webhookId: made.id, secret: made.secret });
    for (let round = 0; round < options.rounds; round++) {
      const fault = options.random.pick(['well', 'down', 500, 302, 'cut', 'hang'] as const);
      await withReceiverFault(context, fault, () => runResourceLifecycle(context));
      if (context.problem !== null) {
        throw context.problem;
      }
    }
    await waitForDeliveries(context);
    if (context.problem !== null) {
      throw context.problem;
    }
    checkEvents(context);
    await testAndRetry(context);
    await testSecretRotation(context);
    await testGoneDisablesWebhook(context);
    if (context.problem !== null) {
      throw context.problem;
    }
    const redeliveries = events.length - new Set(events.map((event) => event.id)).size;
    const byType = Object.groupBy(context.expected, (event) => event.type);
    return {
      events: context.expected.length,
      deliveries: events.length,
      redeliveries,
      byType: Object.fromEntries(Object.entries(byType).map(([type, list]) => [type, list?.length ?? 0])),
    };
  } finally {
    await receiver.close();
    await cloud.close();
  }
}

type ReceiverFault = 'well' | 'down' | 'cut' | 'hang' | number;

/** Runs `happen` while the receiver has a fault, advances the clock by some hours, and repairs it. */
async function withReceiverFault(
  context: WebhookContext,
  fault: ReceiverFault,
  happen: () => Promise<void>,
): Promise<void> {
  const { receiver, cloud, random } = context;
  if (fault === 'down') {
    await receiver.stopListening();
  } else if (fault !== 'well') {
    receiver.setBehaviour(fault);
  }
  await happen();
  // At most a few hours, so that ten attempts outlast it.
  const untilMs = cloud.nowMs() + (fault === 'well' ? 0 : random.below(3) * HOUR_MS);
  await waitFor(
    'time passes',
    () => {
      cloud.advanceTime(10 * MINUTE_MS);
      return cloud.nowMs() >= untilMs;
    },
    60_000,
    15,
  );
  if (fault === 'down') {
    await receiver.startListening();
  }
  receiver.setBehaviour(204);
}

/** Creates, changes and deletes some resources step by step. */
async function runResourceLifecycle(context: WebhookContext): Promise<void> {
  const { api, cloud, expected } = context;
  const expectEvent = (type: string, resource: string) => expected.push({ type, resource });
  const n = context.next();

  const form = multipart({}, { fileName: 'a.png', contentType: 'image/png', bytes: randomPng(6, 6) });
  const uploaded = await api.client.send({
    method: 'POST',
    path: '/v1/content/upload',
    key: cloud.adminKey,
    body: form.body,
    headers: { 'content-type': form.contentType },
  });
  const asset = operations.uploadContent.data.parse(uploaded.data);
  expectEvent('content.created', asset.id);
  const playlist = await api.expectSuccess(operations.createPlaylist, {
    body: { name: `Story ${n}`, items: [{ content_id: asset.id }] },
  });
  expectEvent('playlist.created', playlist.id);
  const params = { id: playlist.id };
  await api.expectSuccess(operations.updatePlaylist, { params, body: { name: `Story ${n}, again` } });
  expectEvent('playlist.updated', playlist.id);

  const { deviceId, token } = await pairDevice(api, `STORY-${n}`, {}, `127.0.4.${1 + (n % 250)}`);
  expectEvent('device.paired', deviceId);
  await api.expectSuccess(operations.sendHeartbeats, {
    key: token,
    body: { samples: [buildSample(cloud.nowMs())], state: buildReportedState() },
  });
  expectEvent('device.online', deviceId);
  await api.expectSuccess(operations.deployPlaylist, {
    params,
    body: { targets: [{ type: 'device', id: deviceId }] },
  });
  expectEvent('playlist.deployed', playlist.id);

  const command = await api.expectSuccess(operations.sendCommand, {
    params: { id: deviceId },
    body: { command: 'REFRESH' },
  });
  await api.expectSuccess(operations.reportCommand, {
    params: { id: command.id },
    key: token,
    body: { status: 'succeeded' },
  });
  expectEvent('command.finished', command.id);

  const rule = { playlist_id: playlist.id, start_time: '09:00', end_time: '17:00', days: ['MON'] };
  const schedule = await api.expectSuccess(operations.createSchedule, {
    body: { name: `Story ${n}`, is_active: false, rules: [rule] },
  });
  expectEvent('schedule.changed', schedule.id);
  await api.expectSuccess(operations.activateSchedule, { params: { id: schedule.id } });
  expectEvent('schedule.activated', schedule.id);
  await api.expectSuccess(operations.deactivateSchedule, { params: { id: schedule.id } });
  expectEvent('schedule.deactivated', schedule.id);
  await api.expectSuccess(operations.deleteSchedule, { params: { id: schedule.id } });
  expectEvent('schedule.changed', schedule.id);

  await api.expectSuccess(operations.deletePlaylist, { params });
  expectEvent('playlist.deleted', playlist.id);
  await api.expectSuccess(operations.deleteContent, { params: { id: asset.id } });
  expectEvent('content.deleted', asset.id);
  await api.expectSuccess(operations.deleteDevice, { params: { id: deviceId } });
  expectEvent('device.removed', deviceId);
}

const keyOf = (event: { type: string; resource: string }) => `${event.type} ${event.resource}`;

/** Waits until every expected event was accepted. */
async function waitForDeliveries(context: WebhookContext): Promise<void> {
  const { cloud, events, expected } = context;
  let missing: string[] = [];
  let details: unknown[] = [];
  await waitFor(
    () =>
      `every event arrived; missing: ${missing.join(', ')}; received: ${events
        .filter((event) => missing.includes(keyOf(event)))
        .map((event) => event.responseStatus)
        .join(', ')}; deliveries: ${truncate(details)}`,
    async () => {
      if (context.problem !== null) {
        throw context.problem;
      }
      const taken = new Set(events.filter((event) => event.responseStatus === 204).map(keyOf));
      missing = expected.map(keyOf).filter((key) => !taken.has(key));
      if (missing.length === 0) {
        return true;
      }
      cloud.advanceTime(HOUR_MS);
      if (details.length === 0) {
        details = (await listAllDeliveries(context.api, context.webhookId))
          .filter((one) =>
            missing.some((key) => JSON.stringify(one.payload).includes(key.split(' ')[1] ?? '')),
          )
          .map(({ id, event, status, attempts, error }) => ({ id, event, status, attempts, error }));
      }
      return false;
    },
    DELIVERY_LIMIT_MS,
    // Each hour that passes starts all jobs, which take turns with the deliveries.
    200,
  );
}

/** Checks for unexpected, missing and changed events, and for the order per resource. */
function checkEvents({ events, expected }: WebhookContext): void {
  const wanted = new Set(expected.map(keyOf));
  for (const event of events)
  // Devices that were removed meanwhile may have gone offline before.
  {
    assert(wanted.has(keyOf(event)) || event.type === 'device.offline', 'an unexpected event', event);
  }
  for (const tries of Map.groupBy(events, (event) => event.id).values()) {
    assert(new Set(tries.map((event) => event.body)).size === 1, 'the body changed between attempts', tries);
    assert(
      tries.filter((event) => event.responseStatus === 204).length === 1,
      'sent again after it was accepted',
      tries,
    );
  }
  for (const [resource, list] of Map.groupBy(expected, (event) => event.resource)) {
    const taken = events.filter(
      (event) =>
        event.resource === resource && event.responseStatus === 204 && event.type !== 'device.offline',
    );
    assert(
      JSON.stringify(taken.map((event) => event.type)) === JSON.stringify(list.map((event) => event.type)),
      `the events of ${resource} arrived in another order`,
      { taken: taken.map((event) => event.type), wanted: list.map((event) => event.type) },
    );
  }
}

async function testAndRetry({ api, events, webhookId, cloud }: WebhookContext): Promise<void> {
  const params = { id: webhookId };
  const test = await api.expectSuccess(operations.testWebhook, { params });
  const came = (times: number) => () => {
    cloud.advanceTime(1_000);
    return events.filter((event) => event.id === test.id && event.responseStatus === 204).length === times;
  };
  await waitFor('the test event arrived', came(1));
  await api.expectSuccess(operations.retryDelivery, { params: { ...params, delivery_id: test.id } });
  await waitFor('the test event arrived again after a retry', came(2));
  const { data: deliveries } = await api.call(operations.listDeliveries, { params, query: { limit: 5 } });
  assert(
    deliveries?.some(
      (one) => one.id === test.id && one.status === 'succeeded' && one.response_status === 204,
    ),
    'missing in the list of deliveries:',
    deliveries,
  );
}

/** After a rotation both secrets sign for a day, so that receivers can switch without losing events. */
async function testSecretRotation(context: WebhookContext): Promise<void> {
  const { api, webhookId, events, cloud } = context;
  const params = { id: webhookId };
  const arrives = async () => {
    const { id } = await api.expectSuccess(operations.testWebhook, { params });
    await waitFor('a test event arrived', () => {
      cloud.advanceTime(1_000);
      return events.some((event) => event.id === id);
    });
  };
  const { secret } = await api.expectSuccess(operations.rotateWebhookSecret, { params });
  assert(secret !== context.secret && secret.startsWith('whsec_'), 'the secret did not change');
  await arrives();
  context.secret = secret;
  await arrives();
  cloud.advanceTime(25 * HOUR_MS);
  await arrives();
}

/** 410 deactivates a webhook; nothing is sent any more. */
async function testGoneDisablesWebhook({
  api,
  webhookId,
  receiver,
  cloud,
  events,
}: WebhookContext): Promise<void> {
  const params = { id: webhookId };
  receiver.setBehaviour(410);
  await api.expectSuccess(operations.testWebhook, { params });
  await waitFor('status 410 deactivates the webhook', async () => {
    cloud.advanceTime(1_000);
    const webhook = await api.expectSuccess(operations.getWebhook, { params });
    return !webhook.is_active && webhook.disabled_reason !== null;
  });
  const before = events.length;
  await api.expectSuccess(operations.createPlaylist, { body: { name: 'nobody is told' } });
  cloud.advanceTime(HOUR_MS);
  await api.expectSuccess(operations.getWebhook, { params });
  assert(events.length === before, 'an inactive webhook was called', events.slice(before));
}
