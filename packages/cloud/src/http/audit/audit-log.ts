import { auditOperations as operations } from '@placard/protocol/api';
import type { AuditEntry } from '@placard/protocol/api';
import type { Row } from '../../database/schema.ts';
import { listResult, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { toIso } from '../../domain/iso-time.ts';

export function auditRoutes({ database }: HttpDeps): Route[] {
  return [
    route(operations.listAuditLog, async ({ query }) => {
      const page = await database.audit.list({
        ...query,
        fromMs: query.from === undefined ? undefined : Date.parse(query.from),
        toMs: query.to === undefined ? undefined : Date.parse(query.to),
      });
      return listResult(page, presentAuditEntry, query);
    }),
  ];
}

const presentAuditEntry = (row: Row<'audit_log'>): AuditEntry => ({
  id: row.id,
  created_at: toIso(row.created_at),
  actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  address: row.address,
  request_id: row.request_id,
  action: row.action,
  resource: { type: row.resource_type, id: row.resource_id, name: row.resource_name },
  changes: JSON.parse(row.changes),
});
