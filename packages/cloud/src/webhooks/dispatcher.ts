import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { messageOf } from '../domain/error-facts.ts';
import { waitAfter } from '../domain/retry-plan.ts';
import type { Row } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { Outbound } from './outbound.ts';
import { signatureOf } from './signature.ts';

const TIMEOUT_MS = 10_000;
const GONE = 410;

export interface DispatcherDeps {
  store: Store;
  clock: Clock;
  outbound: Outbound;
  log: Logger;
}

/** Sends what the outbox holds. One webhook gets one notification at a time; webhooks do not wait for each other. */
export interface Dispatcher {
  /** Looks for work; called after a commit that wrote some, and now and then. */
  wake: () => void;
  close: () => Promise<void>;
}

export function createDispatcher({ store, clock, outbound, log }: DispatcherDeps): Dispatcher {
  const stop = new AbortController();
  const busy = new Map<string, Promise<void>>();
  let looking: Promise<void> | null = null;
  let again = false;

  const work = async (webhookId: string): Promise<void> => {
    while (!stop.signal.aborted) {
      const webhook = await store.webhooks.find(webhookId);
      if (!webhook || webhook.is_active === 0) return;
      const delivery = await store.webhooks.nextDue(webhookId, clock.nowMs());
      if (!delivery) return;
      const outcome = await send(webhook, delivery);
      if (outcome) await settle(webhook, delivery, outcome);
    }
  };

  /** Null when we stop before there is an answer: it is sent again at the next start. */
  const send = async (
    webhook: Row<'webhooks'>,
    delivery: Row<'webhook_deliveries'>,
  ): Promise<{ status: number | null; error: string | null } | null> => {
    const nowMs = clock.nowMs();
    const timestampSeconds = Math.floor(nowMs / 1000);
    const old = webhook.previous_secret !== null && (webhook.previous_until ?? 0) > nowMs;
    const secrets = old ? [webhook.secret, webhook.previous_secret ?? ''] : [webhook.secret];
    const message = { id: delivery.id, timestampSeconds, payload: delivery.payload };
    const response = await outbound.request({
      url: new URL(webhook.url),
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': delivery.id,
        'webhook-timestamp': String(timestampSeconds),
        'webhook-signature': signatureOf(message, secrets),
      },
      body: delivery.payload,
      redirects: 0,
      timeoutMs: TIMEOUT_MS,
      signal: stop.signal,
    });
    if (stop.signal.aborted) return null;
    if ('failure' in response) return { status: null, error: response.message };
    response.body.destroy();
    const accepted = response.status >= 200 && response.status < 300;
    return {
      status: response.status,
      error: accepted ? null : `the receiver answered ${response.status}`,
    };
  };

  const settle = async (
    webhook: Row<'webhooks'>,
    delivery: Row<'webhook_deliveries'>,
    outcome: { status: number | null; error: string | null },
  ): Promise<void> => {
    const nowMs = clock.nowMs();
    const attempts = delivery.attempts + 1;
    const wait = outcome.error === null ? null : waitAfter(attempts);
    const isGone = outcome.status === GONE;
    const reason = 'The receiver answered 410 Gone.';
    await store.transaction(async ({ webhooks }) => {
      await webhooks.updateDelivery(delivery.id, {
        attempts,
        response_status: outcome.status,
        error: outcome.error,
        status: outcome.error === null ? 'succeeded' : wait === null ? 'failed' : 'pending',
        next_attempt_at: wait === null ? null : nowMs + wait,
        finished_at: wait === null ? nowMs : null,
      });
      if (isGone)
        await webhooks.update(webhook.id, { is_active: 0, disabled_reason: reason, updated_at: nowMs });
    });
    // In small steps: up to 256 MB may wait.
    let more = isGone;
    while (more)
      more = await store.transaction(({ webhooks }) => webhooks.failSomePending(webhook.id, reason, nowMs));
    if (outcome.error !== null)
      log.info({ event: 'webhook.failed', webhookId: webhook.id, deliveryId: delivery.id, ...outcome });
  };

  const look = async (): Promise<void> => {
    do {
      again = false;
      for (const id of await store.webhooks.withWork(clock.nowMs())) {
        if (busy.has(id)) continue;
        const round = work(id)
          .catch((error: unknown) =>
            log.error({ event: 'webhook.crashed', webhookId: id, reason: messageOf(error), err: error }),
          )
          .finally(() => busy.delete(id));
        busy.set(id, round);
      }
    } while (again && !stop.signal.aborted);
  };

  return {
    wake() {
      if (stop.signal.aborted) return;
      if (looking) {
        again = true;
        return;
      }
      looking = look()
        .catch((error: unknown) => log.error({ event: 'webhook.crashed', err: error }))
        .finally(() => (looking = null));
    },
    async close() {
      stop.abort();
      await looking;
      await Promise.all(busy.values());
    },
  };
}
