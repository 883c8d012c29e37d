import type { IdKind } from '@placard/protocol';
import type { AuditChange } from '@placard/protocol/api';
import type { FastifyRequest } from 'fastify';
import type { Transaction } from '../../database/cloud-database.ts';

interface PersonAction {
  person: { id: string; name: string };
  action: string;
  changes?: readonly AuditChange[];
}

interface ActionContext {
  request: Pick<FastifyRequest, 'ip' | 'id'>;
  nowMs: number;
  newId: (kind: IdKind) => string;
}

/** Records what a person did to their own account before there was a session, such as signing in. */
export const recordPersonAction = (
  tx: Pick<Transaction, 'audit'>,
  { person, action, changes = [] }: PersonAction,
  { request, nowMs, newId }: ActionContext,
): Promise<void> =>
  tx.audit.append({
    id: newId('audit'),
    created_at: nowMs,
    actor_type: 'user',
    actor_id: person.id,
    actor_name: person.name,
    address: request.ip,
    request_id: request.id,
    action,
    resource_type: 'user',
    resource_id: person.id,
    resource_name: person.name,
    changes,
  });

/** A field that had no value before. */
export const newValue = (field: string, after: unknown): AuditChange => ({
  field,
  before: null,
  after,
  truncated: false,
});
