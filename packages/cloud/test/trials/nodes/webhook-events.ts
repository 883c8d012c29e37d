import { operations } from '@placard/protocol/api';
import type { CloudApi } from '../../../../../test/simulate/cloud-api/api.ts';
import { waitUntil } from '../../../../../test/support/wait-until.ts';
import { verifyDelivery } from '../support/verify-delivery.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

/** A delivery that was cut off is tried again after five seconds, then after a minute. */
const ARRIVES_WITHIN_MS = 150_000;
const POLL_MS = 500;

/** A webhook of the cloud, and what it receives. */
export interface WebhookEvents {
  /** Requests that repeat a delivery that was received before. */
  readonly repeated: number;
  /** Waits for these events, as `type id`; returns those that are missing, and those that are there as two deliveries. */
  audit(expected: readonly string[]): Promise<string[]>;
  close(): Promise<void>;
}

/** Creates a webhook for uploads and ended commands. */
export async function receiveWebhookEvents(api: CloudApi): Promise<WebhookEvents> {
  let secret: string | null = null;
  let requests = 0;
  /** The ids of the deliveries of each event. */
  const deliveries = new Map<string, Set<string>>();
  const receiver = await startWebhookReceiver((request) => {
    if (secret === null) {
      throw new Error('a delivery arrived before its webhook was created');
    }
    const { id, type, resource } = verifyDelivery(request, secret, Date.now());
    const event = `${type} ${resource}`;
    deliveries.set(event, (deliveries.get(event) ?? new Set()).add(id));
    requests += 1;
  });
  ({ secret } = await api.call(operations.createWebhook, {
    body: { url: receiver.url, events: ['content.created', 'command.finished'] },
    idempotencyKey: crypto.randomUUID(),
  }));
  const countDeliveries = () => [...deliveries.values()].reduce((sum, ids) => sum + ids.size, 0);
  return {
    get repeated() {
      return requests - countDeliveries();
    },
    async audit(expected) {
      const missing = () => expected.filter((event) => !deliveries.has(event));
      await waitUntil('all events', () => missing().length === 0, ARRIVES_WITHIN_MS, POLL_MS).catch(() => {});
      const doubled = [...deliveries].filter(([, ids]) => ids.size > 1);
      return [
        ...missing().map((event) => `${event} did not arrive`),
        ...doubled.map(([event, ids]) => `${event} arrived as ${ids.size} deliveries`),
      ];
    },
    close: () => receiver.close(),
  };
}
