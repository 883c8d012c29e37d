import type { Repositories } from '../../database/cloud-database.ts';
import { diffSnapshots, omitValues } from '../../domain/audit-changes.ts';
import { createDailyQuota } from '../../domain/daily-quota.ts';
import type { DailyQuota } from '../../domain/daily-quota.ts';
import type { AuditedCall, AuditRecorder, Caller, Change } from '../../http-server/operation-route.ts';
import { AUDITED_OPERATIONS } from './audited-operations.ts';
import { SNAPSHOT_READERS } from './snapshots.ts';

/** Characters of change JSON stored per key or person and day (UTC); audit entries are kept for a year. */
const MAX_CHARACTERS_PER_DAY = 32 * 2 ** 20;

/**
 * Writes who made a change, and the values before and after. Beyond `maxCharactersPerDay`, audit entries list only
 * the names of the changed fields.
 */
export function createAuditRecorder(maxCharactersPerDay = MAX_CHARACTERS_PER_DAY): AuditRecorder {
  const quota = createDailyQuota(maxCharactersPerDay);
  return (change, call) => withAudit(change, call, quota);
}

function withAudit(
  change: Change,
  { operation, caller, request, nowMs, newId }: AuditedCall,
  quota: DailyQuota,
): Change {
  const audited = AUDITED_OPERATIONS[operation.id];
  if (!audited || !caller.actor) {
    return change;
  }
  const { type, action, ofCaller, extraFields } = audited;
  const readSnapshot = SNAPSHOT_READERS[type];
  const { actor } = caller;
  return async (tx) => {
    const knownId = ofCaller
      ? actor.id
      : type === 'organization'
        ? (await tx.organization.get()).id
        : readId(request.params);
    const before = knownId === null ? null : await readSnapshot(tx, knownId);
    const result = await change(tx);
    if ('isUnchanged' in result) {
      return result;
    }
    const data: Record<string, unknown> = 'data' in result && isRecord(result.data) ? result.data : {};
    const id = knownId ?? (typeof data['id'] === 'string' ? data['id'] : '');
    const after = await readSnapshot(tx, id);
    const changes = [
      ...diffSnapshots(before, after),
      ...(extraFields ? diffSnapshots(null, { name: null, fields: await extraFields(data, tx) }) : []),
    ];
    // No audit entry when nothing differs.
    if (changes.length === 0 && !extraFields) {
      return result;
    }
    const length = JSON.stringify(changes).length;
    const fitsQuota = length <= quota.remaining(actor.id, nowMs);
    if (fitsQuota) {
      quota.add(actor.id, length, nowMs);
    }
    await tx.audit.append({
      id: newId('audit'),
      created_at: nowMs,
      actor_type: actor.type,
      actor_id: actor.id,
      actor_name: actor.name,
      address: request.ip,
      request_id: request.id,
      action,
      resource_type: type,
      resource_id: id,
      resource_name: after?.name ?? before?.name ?? null,
      changes: fitsQuota ? changes : omitValues(changes),
    });
    return result;
  };
}

/**
 * Whether an operation on a resource is to be logged; false for one that is repeated often and was logged a short time ago. For callers
 * that would begin a transaction for the entry alone.
 */
export async function isAuditDue(
  audit: Repositories['audit'],
  operation: AuditedCall['operation'],
  { actor, nowMs }: Pick<Caller, 'actor'> & { nowMs: number },
  resourceId: string,
): Promise<boolean> {
  const audited = AUDITED_OPERATIONS[operation.id];
  if (audited?.everyMs === undefined || !actor) {
    return true;
  }
  const entry = { action: audited.action, actor_id: actor.id, resource_id: resourceId };
  return !(await audit.hasEntry(entry, nowMs - audited.everyMs));
}

function readId(params: unknown): string | null {
  return isRecord(params) && typeof params['id'] === 'string' ? params['id'] : null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
