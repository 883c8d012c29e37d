import { webhookOperations as operations } from '@placard/protocol/api';
import type { Delivery, Webhook } from '@placard/protocol/api';
import { invalid, refusal } from '../../domain/refusal.ts';
import type { Row } from '../../store/schema.ts';
import type { Repositories } from '../../store/store.ts';
import { newWebhookSecret } from '../../webhooks/signature.ts';
import { page, route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { iso, isoOrNull } from '../present.ts';

/** After a rotation the old secret signs too for this long. */
const OLD_SECRET_MS = 24 * 3_600_000;

export function webhookRoutes({
  store,
  newId,
  outbound,
}: Pick<HttpDeps, 'store' | 'newId' | 'outbound'>): Route[] {
  /** A number that can never be reached is told at once; a name is looked at when it is used. */
  const requireReachable = (url: string | undefined) => {
    if (url !== undefined && !outbound.allowsHost(new URL(url).hostname))
      throw invalid([{ path: 'url', message: 'must not be a private, loopback or reserved address' }]);
  };

  return [
    route(operations.listWebhooks, async ({ query }) => {
      const { rows, total } = await store.webhooks.list(query);
      return page(rows.map(presentWebhook), total, query);
    }),
    route(operations.createWebhook, async ({ body, nowMs, commit }) => {
      requireReachable(body.url);
      return commit(async (work) => {
        const row = {
          id: newId('webhook'),
          url: body.url,
          events: JSON.stringify(body.events),
          is_active: body.is_active ? 1 : 0,
          secret: newWebhookSecret(),
          previous_secret: null,
          previous_until: null,
          disabled_reason: null,
          created_at: nowMs,
          updated_at: nowMs,
        };
        await work.webhooks.insert(row);
        return { data: { ...presentWebhook(row), secret: row.secret } };
      });
    }),
    route(operations.getWebhook, async ({ params }) => ({
      data: presentWebhook(await requireWebhook(store, params.id)),
    })),
    route(operations.updateWebhook, async ({ params, body, nowMs, commit }) => {
      requireReachable(body.url);
      return commit(async (work) => {
        await requireWebhook(work, params.id);
        await work.webhooks.update(params.id, {
          url: body.url,
          ...(body.events ? { events: JSON.stringify(body.events) } : {}),
          ...(body.is_active === undefined
            ? {}
            : { is_active: body.is_active ? 1 : 0, disabled_reason: null }),
          updated_at: nowMs,
        });
        if (body.is_active) work.announce({ type: 'deliveries' });
        return { data: presentWebhook(await requireWebhook(work, params.id)) };
      });
    }),
    route(operations.deleteWebhook, async ({ params, commit }) =>
      commit(async (work) => {
        await requireWebhook(work, params.id);
        await work.webhooks.delete(params.id);
        return { data: { id: params.id, deleted: true } };
      }),
    ),
    route(operations.testWebhook, async ({ params, nowMs, commit }) =>
      commit(async (work) => {
        const webhook = await requireWebhook(work, params.id);
        const id = newId('delivery');
        const about = { id, webhookId: webhook.id, type: 'webhook.test', resource: id, data: {} };
        const row = await work.webhooks.insertDelivery(about, nowMs);
        work.announce({ type: 'deliveries' });
        return { data: presentDelivery(row) };
      }),
    ),
    route(operations.rotateWebhookSecret, async ({ params, nowMs, commit }) =>
      commit(async (work) => {
        const before = await requireWebhook(work, params.id);
        const secret = newWebhookSecret();
        await work.webhooks.update(params.id, {
          secret,
          previous_secret: before.secret,
          previous_until: nowMs + OLD_SECRET_MS,
          updated_at: nowMs,
        });
        return { data: { ...presentWebhook(await requireWebhook(work, params.id)), secret } };
      }),
    ),
    route(operations.listDeliveries, async ({ params, query }) => {
      await requireWebhook(store, params.id);
      const { rows, total } = await store.webhooks.listDeliveries(params.id, query);
      return page(rows.map(presentDelivery), total, query);
    }),
    route(operations.retryDelivery, async ({ params, nowMs, commit }) =>
      commit(async (work) => {
        await requireWebhook(work, params.id);
        const row = await work.webhooks.findDelivery(params.delivery_id);
        if (row?.webhook_id !== params.id)
          throw refusal('DELIVERY_NOT_FOUND', 'The requested webhook delivery does not exist.');
        const change = {
          status: 'pending' as const,
          attempts: 0,
          next_attempt_at: nowMs,
          finished_at: null,
          error: null,
        };
        await work.webhooks.updateDelivery(row.id, change);
        work.announce({ type: 'deliveries' });
        return { data: presentDelivery({ ...row, ...change }) };
      }),
    ),
  ];
}

async function requireWebhook(from: Repositories, id: string): Promise<Row<'webhooks'>> {
  const row = await from.webhooks.find(id);
  if (!row) throw refusal('WEBHOOK_NOT_FOUND', 'The requested webhook does not exist.');
  return row;
}

function presentWebhook(row: Row<'webhooks'>): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events),
    is_active: row.is_active === 1,
    disabled_reason: row.disabled_reason,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

function presentDelivery(row: Omit<Row<'webhook_deliveries'>, 'seq' | 'resource' | 'bytes'>): Delivery {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event: row.event_type,
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: isoOrNull(row.next_attempt_at),
    response_status: row.response_status,
    error: row.error,
    created_at: iso(row.created_at),
    finished_at: isoOrNull(row.finished_at),
    payload: JSON.parse(row.payload),
  };
}
