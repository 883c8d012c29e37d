import type { IdKind } from '@placard/protocol';
import type { Operation } from '@placard/protocol/api';
import type { FastifyRequest } from 'fastify';
import { changesBetween, withoutValues } from '../../domain/audit-changes.ts';
import { createDailyQuota } from '../../domain/daily-quota.ts';
import type { DailyQuota } from '../../domain/daily-quota.ts';
import type { Work } from '../../store/store.ts';
import type { Answer, Caller } from '../call.ts';
import { AUDITED } from './audited.ts';
import { snapshotOf } from './snapshots.ts';

export interface AuditedCall {
  operation: Pick<Operation, 'id'>;
  caller: Caller;
  request: Pick<FastifyRequest, 'params' | 'ip' | 'id'>;
  nowMs: number;
  newId: (kind: IdKind) => string;
}

type Change = (work: Work) => Promise<Answer<unknown>>;

/** Characters of JSON that are kept of all changes of one key on one day (UTC): its entries are kept for a year. */
const MOST_A_DAY = 32 * 2 ** 20;

/** Makes a change and writes into the same transaction who made it, and what it was and is. */
export type Recorder = (change: Change, call: AuditedCall) => Change;

/** Beyond `mostADay` the entry of a change tells which fields differ, and no more. */
export function createRecorder(mostADay = MOST_A_DAY): Recorder {
  const kept = createDailyQuota(mostADay);
  return (change, call) => recorded(change, call, kept);
}

function recorded(
  change: Change,
  { operation, caller, request, nowMs, newId }: AuditedCall,
  kept: DailyQuota,
): Change {
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
    if (changes.length === 0 && !also) return answer;
    const length = JSON.stringify(changes).length;
    const isKept = length <= kept.left(key.id, nowMs);
    if (isKept) kept.add(key.id, length, nowMs);
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
      changes: isKept ? changes : withoutValues(changes),
    });
    return answer;
  };
}

function idIn(params: unknown): string | null {
  return isRecord(params) && typeof params['id'] === 'string' ? params['id'] : null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
