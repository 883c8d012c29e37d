import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import type { Measurements } from '../domain/measurements.ts';
import { retryDelayMs } from '../domain/retry-delay.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import type { Row } from '../database/schema.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import { signWebhook } from './signature.ts';

const TIMEOUT_MS = 10_000;
/** How long deliveries that are on their way may take when the cloud stops; then they are given up, and sent again later. */
const CLOSING_MS = 3_000;
const HTTP_GONE = 410;

export interface WebhookDispatcherDeps {
  database: CloudDatabase;
  clock: Clock;
  outboundClient: OutboundClient;
  log: Logger;
  /** Whether this node is the one that sends. */
  isLeader: () => boolean;
  measurements: Pick<Measurements, 'deliveryAttempted'>;
}

/**
 * Sends the events in the outbox, on the leader of the nodes. Each webhook gets one delivery at a time; webhooks do not wait for each other.
 */
export function createWebhookDispatcher({
  database,
  clock,
  outboundClient,
  log,
  isLeader,
  measurements,
}: WebhookDispatcherDeps) {
  /** Nothing more is sent. */
  const closing = new AbortController();
  /** What is on its way is given up. */
  const givingUp = new AbortController();
  const running = new Map<string, Promise<void>>();
  let scanning: Promise<void> | null = null;
  let isRescanNeeded = false;

  const deliverDue = async (webhookId: string): Promise<void> => {
    while (!closing.signal.aborted && isLeader()) {
      const webhook = await database.webhooks.find(webhookId);
      if (!webhook || webhook.is_active === 0) {
        return;
      }
      const delivery = await database.webhooks.nextDue(webhookId, clock.nowMs());
      if (!delivery) {
        return;
      }
      const outcome = await send(webhook, delivery);
      if (outcome) {
        await recordOutcome(webhook, delivery, outcome);
      }
    }
  };

  /** Null when given up before the response; the delivery is sent again after the next start. */
  const send = async (
    webhook: Row<'webhooks'>,
    delivery: Row<'webhook_deliveries'>,
  ): Promise<{ status: number | null; error: string | null } | null> => {
    const nowMs = clock.nowMs();
    const timestampSeconds = Math.floor(nowMs / 1000);
    const isOldSecretValid = webhook.previous_secret !== null && (webhook.previous_until ?? 0) > nowMs;
    const secrets = isOldSecretValid ? [webhook.secret, webhook.previous_secret ?? ''] : [webhook.secret];
    const message = { id: delivery.id, timestampSeconds, payload: delivery.payload };
    const response = await outboundClient.request({
      url: new URL(webhook.url),
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': delivery.id,
        'webhook-timestamp': String(timestampSeconds),
        'webhook-signature': signWebhook(message, secrets),
      },
      body: delivery.payload,
      maxRedirects: 0,
      timeoutMs: TIMEOUT_MS,
      signal: givingUp.signal,
    });
    if (givingUp.signal.aborted) {
      return null;
    }
    if ('failure' in response) {
      return { status: null, error: response.message };
    }
    response.body.destroy();
    const accepted = response.status >= 200 && response.status < 300;
    return {
      status: response.status,
      error: accepted ? null : `the receiver responded with status ${response.status}`,
    };
  };

  const recordOutcome = async (
    webhook: Row<'webhooks'>,
    delivery: Row<'webhook_deliveries'>,
    outcome: { status: number | null; error: string | null },
  ): Promise<void> => {
    measurements.deliveryAttempted(outcome.error === null ? 'succeeded' : 'failed');
    const nowMs = clock.nowMs();
    const isGone = outcome.status === HTTP_GONE;
    const wait = outcome.error === null || isGone ? null : retryDelayMs(delivery.attempts + 1);
    const reason = 'The receiver responded with 410 Gone.';
    const isCurrent = await database.transaction(async ({ webhooks }) => {
      const isRecorded = await webhooks.recordAttempt(delivery, {
        response_status: outcome.status,
        error: outcome.error,
        status: outcome.error === null ? 'succeeded' : wait === null ? 'failed' : 'pending',
        next_attempt_at: wait === null ? null : nowMs + wait,
        finished_at: wait === null ? nowMs : null,
      });
      if (isRecorded && isGone) {
        await webhooks.update(webhook.id, { is_active: 0, disabled_reason: reason, updated_at: nowMs });
      }
      return isRecorded;
    });
    // In small steps: up to 256 MB may be queued.
    let more = isCurrent && isGone;
    while (more) {
      more = await database.transaction(({ webhooks }) =>
        webhooks.failPendingBatch(webhook.id, reason, nowMs),
      );
    }
    if (outcome.error !== null) {
      log.info({ webhook_id: webhook.id, delivery_id: delivery.id, ...outcome }, 'webhook.delivery_failed');
    }
  };

  /** Deliveries that are due are found again at the next interval. */
  const onFailure = (error: unknown, fields: { webhook_id?: string } = {}): void => {
    // A failure of the storage is logged once, where it begins.
    if (storageFailureOf(error) === null) {
      log.error({ ...fields, err: error }, 'webhook.dispatch_failed');
    }
  };

  const startDueWebhooks = async (): Promise<void> => {
    do {
      isRescanNeeded = false;
      for (const id of await database.webhooks.listIdsWithDueDeliveries(clock.nowMs())) {
        if (running.has(id)) {
          continue;
        }
        const delivering = deliverDue(id)
          .catch((error: unknown) => onFailure(error, { webhook_id: id }))
          .finally(() => running.delete(id));
        running.set(id, delivering);
      }
    } while (isRescanNeeded && !closing.signal.aborted);
  };

  return {
    /** Checks the outbox; called after a commit that added events, and at intervals. */
    wake: (): void => {
      if (closing.signal.aborted || !isLeader()) {
        return;
      }
      if (scanning) {
        isRescanNeeded = true;
        return;
      }
      scanning = startDueWebhooks()
        .catch((error: unknown) => onFailure(error))
        .finally(() => (scanning = null));
    },
    /** Waits for the responses to what was sent, so that it is not sent twice. */
    close: async (): Promise<void> => {
      closing.abort();
      const giveUp = setTimeout(() => givingUp.abort(), CLOSING_MS);
      await scanning;
      await Promise.all(running.values());
      clearTimeout(giveUp);
    },
  };
}
