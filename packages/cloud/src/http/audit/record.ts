import type { IdKind } from '@placard/protocol';
import type { Operation } from '@placard/protocol/api';
import type { FastifyRequest } from 'fastify';
import { changesBetween } from '../../domain/audit-changes.ts';
import type { Work } from '../../store/store.ts';
import type { Answer, Caller } from '../call.ts';
import { AUDITED } from './audited.ts';
import { snapshotOf } from './snapshots.ts';

export interface AuditedCall {
  operation: Operation;
  caller: Caller;
  request: FastifyRequest;
  nowMs: number;
  newId: (kind: IdKind) => string;
}

type Change = (work: Work) => Promise<Answer<unknown>>;

/** Makes the change and writes into the same transaction who made it, and what it was and is. */
export function recorded(change: Change, { operation, caller, request, nowMs, newId }: AuditedCall): Change {
  const audited = AUDITED[operation.id];
  if (!audited || !caller.key) return change;
  const { type, action, also } = audited;
  const { key } = caller;
  return async (work) => {
    const given = type === 'organization' ? (await work.organization.get()).id : idIn(request.params);
    const before = given === null ? null : await snapshotOf(work, type, given);
    const answer = await change(work);
    const data: Record<string, unknown> = 'data' in answer && isRecord(answer.data) ? answer.data : {};
    const id = given ?? (typeof data['id'] === 'string' ? data['id'] : '');
    const after = await snapshotOf(work, type, id);
    const changes = [
      ...changesBetween(before, after),
      ...(also ? changesBetween(null, { name: null, fields: await also(data, work) }) : []),
    ];
    // What is as it was before is no change.
    if (changes.length > 0 || also)
      await work.audit.append({
        id: newId('audit'),
        created_at: nowMs,
        actor_type: 'api_key',
        actor_id: key.id,
        actor_name: key.name,
        address: request.ip,
        request_id: request.id,
        action,
        resource_type: type,
        resource_id: id,
        resource_name: after?.name ?? before?.name ?? null,
        changes,
      });
    return answer;
  };
}

function idIn(params: unknown): string | null {
  return isRecord(params) && typeof params['id'] === 'string' ? params['id'] : null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
