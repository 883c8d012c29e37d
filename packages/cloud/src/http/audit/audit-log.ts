import { auditOperations as operations } from '@placard/protocol/api';
import type { AuditEntry } from '@placard/protocol/api';
import type { Row } from '../../store/schema.ts';
import { page, route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { iso } from '../present.ts';

export function auditRoutes({ store }: Pick<HttpDeps, 'store'>): Route[] {
  return [
    route(operations.listAuditLog, async ({ query }) => {
      const { rows, total } = await store.audit.list({
        page: query.page,
        limit: query.limit,
        resourceType: query.resource_type,
        resourceId: query.resource_id,
        actorId: query.actor_id,
        action: query.action,
        fromMs: query.from === undefined ? undefined : Date.parse(query.from),
        toMs: query.to === undefined ? undefined : Date.parse(query.to),
      });
      return page(rows.map(presentEntry), total, query);
    }),
  ];
}

const presentEntry = (row: Row<'audit_log'>): AuditEntry => ({
  id: row.id,
  created_at: iso(row.created_at),
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  address: row.address,
  request_id: row.request_id,
  action: row.action,
  resource: { type: row.resource_type, id: row.resource_id, name: row.resource_name },
  changes: JSON.parse(row.changes),
});
