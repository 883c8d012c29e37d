import { dryRunQuery } from '@placard/protocol/api';
import type { DryRunQuery, Operation } from '@placard/protocol/api';
import type { IdKind } from '@placard/protocol';
import type { FastifyRequest } from 'fastify';
import type { CloudDatabase, Repositories } from '../database/cloud-database.ts';
import type { IdempotentRequest, Idempotency } from './idempotency.ts';
import type { AuditRecorder, Caller, Change, HandlerResult, Resource } from './operation-route.ts';
import { requireMatch } from './resource-etag.ts';

/** A request that changes something. */
export interface ChangeCall {
  operation: Operation;
  caller: Caller;
  /** Of the caller, whose changes take turns with those of others. */
  owner: string | null;
  request: FastifyRequest;
  params: unknown;
  nowMs: number;
  /** At the path of the request. */
  resource: Resource | undefined;
  /** Throws when the caller may not change it, also of what somebody has moved since the request began. */
  requireAccess: (repositories: Repositories) => Promise<void>;
  /** With the hash of its body, which is null when the body is streamed; null without an Idempotency-Key. */
  idempotent: { request: IdempotentRequest; hash: string | null } | null;
}

/** Executes a change, takes it back, and adds to its result what it would do to the screens. */
export type DryRunner = (
  change: Change,
  call: Pick<ChangeCall, 'caller' | 'owner' | 'request' | 'nowMs'> & { query: DryRunQuery },
) => Promise<HandlerResult<unknown>>;

export interface CommitDeps {
  database: CloudDatabase;
  recordAudit: AuditRecorder;
  runDry: DryRunner;
  newId: (kind: IdKind) => string;
}

/** The query of a request that asks for a dry run; null for any other. */
export function dryRunOf({ query: schema }: Operation, query: unknown): DryRunQuery | null {
  return schema === dryRunQuery && isDryRun(query) ? query : null;
}

const isDryRun = (query: unknown): query is DryRunQuery =>
  typeof query === 'object' && query !== null && 'dry_run' in query && query.dry_run === true;

/** Returns the function with which a handler makes its change: in one transaction with all that belongs to it. */
export function createCommit(
  { database, recordAudit, runDry, newId }: CommitDeps,
  idempotency: Idempotency,
  call: ChangeCall,
  dryRun: DryRunQuery | null,
) {
  const { operation, caller, owner, request, params, nowMs, resource, requireAccess, idempotent } = call;
  const conditional =
    (change: Change): Change =>
    async (tx) => {
      await requireAccess(tx);
      if (resource) {
        await requireMatch(resource, request, params, tx);
      }
      return change(tx);
    };
  const once =
    (change: Change, fingerprint: string): Change =>
    async (tx) => {
      if (!idempotent) {
        return change(tx);
      }
      const hash = idempotent.hash ?? idempotency.hashOf(idempotent.request, fingerprint);
      const storedResult = await idempotency.find(tx, idempotent.request, hash, nowMs);
      if (storedResult) {
        return storedResult;
      }
      const result = await change(tx);
      if ('data' in result) {
        const status = result.status ?? operation.status;
        await idempotency.save(tx, idempotent.request, hash, status, result.data, nowMs);
      }
      return result;
    };

  return (change: Change, fingerprint = ''): Promise<HandlerResult<unknown>> => {
    if (dryRun) {
      return runDry(conditional(change), { ...call, query: dryRun });
    }
    const audited = recordAudit(change, { operation, caller, request, nowMs, newId });
    return database.transaction(conditional(once(audited, fingerprint)), {
      freesSpace: operation.method === 'DELETE',
      owner,
    });
  };
}
