import { webhookOperations as operations } from '@placard/protocol/api';
import type { Delivery, Webhook } from '@placard/protocol/api';
import { ApiError, validationError } from '../../domain/api-error.ts';
import type { Row } from '../../database/schema.ts';
import type { Repositories } from '../../database/cloud-database.ts';
import { generateWebhookSecret } from '../../webhooks/signature.ts';
import { listResult, pagedResult, resourceRoute, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { cursorAt, findStart } from '../events/events.ts';
import { readEvents } from '../../events/read-events.ts';
import { toIso, toIsoOrNull } from '../../domain/iso-time.ts';
import { requireFound } from '../request-checks.ts';

/** After a rotation, deliveries are also signed with the old secret for this long. */
const SECRET_OVERLAP_MS = 24 * 3_600_000;
/** Deliveries that one request queues: other changes wait for them. */
const MAX_REPLAYED = 200;

export function webhookRoutes({ database, newId, outboundClient }: HttpDeps): Route[] {
  /** Rejects forbidden IP addresses at once; host names are checked when they are resolved. */
  const requireReachable = (url: string | undefined) => {
    if (url !== undefined && !outboundClient.allowsHost(new URL(url).hostname)) {
      throw validationError([
        { path: 'url', message: 'must not be a private, loopback or reserved address' },
      ]);
    }
  };

  return [
    route(operations.listWebhooks, async ({ query }) =>
      listResult(await database.webhooks.list(query), presentWebhook, query),
    ),
    route(operations.createWebhook, async ({ body, nowMs, commit }) => {
      requireReachable(body.url);
      return commit(async (tx) => {
        const row = {
          id: newId('webhook'),
          url: body.url,
          events: JSON.stringify(body.events),
          is_active: body.is_active ? 1 : 0,
          secret: generateWebhookSecret(),
          previous_secret: null,
          previous_until: null,
          disabled_reason: null,
          created_at: nowMs,
          updated_at: nowMs,
        };
        await tx.webhooks.insert(row);
        return { data: { ...presentWebhook(row), secret: row.secret } };
      });
    }),
    resourceRoute(database, operations.getWebhook, {
      read: async (source, { id }) => presentWebhook(await requireWebhook(source, id)),
    }),
    route(operations.updateWebhook, async ({ params, body, nowMs, commit }) => {
      requireReachable(body.url);
      return commit(async (tx) => {
        await requireWebhook(tx, params.id);
        await tx.webhooks.update(params.id, {
          url: body.url,
          ...(body.events ? { events: JSON.stringify(body.events) } : {}),
          ...(body.is_active === undefined
            ? {}
            : { is_active: body.is_active ? 1 : 0, disabled_reason: null }),
          updated_at: nowMs,
        });
        if (body.is_active) {
          tx.publishOnCommit({ type: 'webhook_deliveries_pending' });
        }
        return { data: presentWebhook(await requireWebhook(tx, params.id)) };
      });
    }),
    route(operations.deleteWebhook, async ({ params, commit }) =>
      commit(async (tx) => {
        await requireWebhook(tx, params.id);
        await tx.webhooks.delete(params.id);
        return { data: { id: params.id, deleted: true } };
      }),
    ),
    route(operations.testWebhook, async ({ params, nowMs, commit }) =>
      commit(async (tx) => {
        const webhook = await requireWebhook(tx, params.id);
        const id = newId('delivery');
        const event = {
          id: newId('event'),
          type: 'webhook.test',
          // Its own: it does not wait for an earlier test that failed.
          resource: id,
          data: {},
          created_at: nowMs,
        };
        const row = await tx.webhooks.insertDelivery({ id, webhookId: webhook.id, event }, nowMs);
        tx.publishOnCommit({ type: 'webhook_deliveries_pending' });
        return { data: presentDelivery(row) };
      }),
    ),
    route(operations.rotateWebhookSecret, async ({ params, nowMs, commit }) =>
      commit(async (tx) => {
        const before = await requireWebhook(tx, params.id);
        const secret = generateWebhookSecret();
        await tx.webhooks.update(params.id, {
          secret,
          previous_secret: before.secret,
          previous_until: nowMs + SECRET_OVERLAP_MS,
          updated_at: nowMs,
        });
        return { data: { ...presentWebhook(await requireWebhook(tx, params.id)), secret } };
      }),
    ),
    route(operations.replayWebhook, async ({ params, query, nowMs, commit }) =>
      commit(async (tx) => {
        const webhook = await requireWebhook(tx, params.id);
        const after = await findStart(tx, query, 'oldest');
        const types: string[] = JSON.parse(webhook.events);
        const { events, readUntil, hasMore } = await readEvents(tx, after, MAX_REPLAYED, { types });
        let queued = 0;
        for (const event of events) {
          const data: Record<string, unknown> = JSON.parse(event.data);
          const delivery = { id: newId('delivery'), webhookId: webhook.id, event: { ...event, data } };
          if (!(await tx.webhooks.insertIfFree(delivery, nowMs))) {
            break;
          }
          queued += 1;
        }
        const isFull = queued < events.length;
        if (isFull && queued === 0) {
          throw queueFullError();
        }
        if (queued > 0) {
          tx.publishOnCommit({ type: 'webhook_deliveries_pending' });
        }
        const last = isFull ? events[queued - 1] : readUntil;
        return {
          data: {
            queued,
            has_more: isFull || hasMore,
            next_cursor: last?.id ?? (await cursorAt(tx, after)),
          },
        };
      }),
    ),
    route(operations.listDeliveries, async ({ params, query }) => {
      await requireWebhook(database, params.id);
      const { rows, total } = await database.webhooks.listDeliveries(params.id, query);
      return pagedResult(rows.map(presentDelivery), total, query);
    }),
    route(operations.retryDelivery, async ({ params, nowMs, commit }) =>
      commit(async (tx) => {
        await requireWebhook(tx, params.id);
        const row = await tx.webhooks.findDelivery(params.delivery_id);
        if (row?.webhook_id !== params.id) {
          throw new ApiError('DELIVERY_NOT_FOUND', 'The requested webhook delivery does not exist.');
        }
        const change = {
          status: 'pending' as const,
          attempts: 0,
          next_attempt_at: nowMs,
          finished_at: null,
          error: null,
        };
        await tx.webhooks.updateDelivery(row.id, change);
        tx.publishOnCommit({ type: 'webhook_deliveries_pending' });
        return { data: presentDelivery({ ...row, ...change }) };
      }),
    ),
  ];
}

const queueFullError = () =>
  new ApiError(
    'RATE_LIMITED',
    'As many notifications as are allowed wait for this webhook already, so none was queued. Make its receiver respond, ' +
      'and try again when it has taken some.',
    { details: { reason: 'too_many_deliveries' }, headers: { 'retry-after': '5' } },
  );

const requireWebhook = async (repositories: Repositories, id: string) =>
  requireFound(await repositories.webhooks.find(id), 'WEBHOOK_NOT_FOUND');

function presentWebhook(row: Row<'webhooks'>): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events),
    is_active: row.is_active === 1,
    disabled_reason: row.disabled_reason,
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
  };
}

function presentDelivery(row: Omit<Row<'webhook_deliveries'>, 'seq' | 'resource' | 'bytes'>): Delivery {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event: row.event_type,
    status: row.status,
    attempts: row.attempts,
    next_attempt_at: toIsoOrNull(row.next_attempt_at),
    response_status: row.response_status,
    error: row.error,
    created_at: toIso(row.created_at),
    finished_at: toIsoOrNull(row.finished_at),
    payload: JSON.parse(row.payload),
  };
}
