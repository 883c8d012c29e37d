import { MAX_UNFINISHED_OPERATIONS, bulkOperations as operations } from '@placard/protocol/api';
import type { BulkAction, OperationResult } from '@placard/protocol/api';
import type { Repositories, Transaction } from '../../database/cloud-database.ts';
import type { Row } from '../../database/schema.ts';
import { ApiError } from '../../domain/api-error.ts';
import { toIsoOrNull } from '../../domain/iso-time.ts';
import { callerName, listResult, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { requirePlaylist } from '../playlists/playlists.ts';
import { requireFound, requireStore } from '../request-checks.ts';
import { findOperationWarnings } from './operation-warnings.ts';
import { presentOperation } from './present-operation.ts';

const requireOperation = async (repositories: Repositories, id: string) =>
  requireFound(await repositories.bulkOperations.find(id), 'OPERATION_NOT_FOUND');

/** Throws when the action names what does not exist. */
async function requireNamed(repositories: Repositories, action: BulkAction): Promise<void> {
  if (action.type === 'deploy') {
    await requirePlaylist(repositories, action.playlist_id);
  }
  if (action.type === 'set_store' && action.store_id !== null) {
    await requireStore(repositories, action.store_id);
  }
}

export function operationRoutes({ database, newId }: HttpDeps): Route[] {
  return [
    route(operations.createOperation, async (call) => {
      const { actor, query, body, request, nowMs, commit } = call;
      const warnings = await findOperationWarnings(database, body);
      const id = newId('operation');
      const create = async (tx: Transaction) => {
        await requireNamed(tx, body.action);
        if ((await tx.bulkOperations.countUnfinished()) >= MAX_UNFINISHED_OPERATIONS) {
          throw new ApiError(
            'CONFLICT',
            `${MAX_UNFINISHED_OPERATIONS} operations have not finished; wait until one does, or cancel one.`,
            { details: { reason: 'too_many_operations', limit: MAX_UNFINISHED_OPERATIONS } },
          );
        }
        await tx.bulkOperations.insert({
          id,
          action: body.action,
          filter: 'filter' in body.devices ? body.devices.filter : null,
          ids: 'ids' in body.devices ? [...new Set(body.devices.ids)] : [],
          actor_type: actor?.type ?? 'api_key',
          actor_id: actor?.id ?? '',
          actor_name: actor?.name ?? '',
          address: request.ip,
          request_id: request.id,
          created_at: nowMs,
        });
        tx.publishOnCommit({ type: 'operations_pending' });
        return { data: { ...presentOperation(await requireOperation(tx, id)), warnings } };
      };
      if (query.dry_run) {
        const { result } = await database.dryRun(create, { owner: callerName(call) });
        return { ...result, status: 200 };
      }
      return commit(create);
    }),
    route(operations.listOperations, async ({ query }) =>
      listResult(await database.bulkOperations.list(query), presentOperation, query),
    ),
    route(operations.getOperation, async ({ params }) => ({
      data: presentOperation(await requireOperation(database, params.id)),
    })),
    route(operations.listOperationResults, async ({ params, query }) => {
      const page = await database.bulkOperations.results(await requireOperation(database, params.id), query);
      const names = await database.devices.findNames(page.rows.map((row) => row.device_id));
      return listResult(page, (row) => presentResult(row, names.get(row.device_id) ?? null), query);
    }),
    route(operations.cancelOperation, async ({ params, nowMs, commit }) =>
      commit(async (tx) => {
        const row = requireFound(await tx.bulkOperations.lock(params.id), 'OPERATION_NOT_FOUND');
        if (row.finished_at !== null) {
          return { data: presentOperation(row) };
        }
        await tx.bulkOperations.update(row.id, { status: 'cancelled', finished_at: nowMs });
        const data = presentOperation(await requireOperation(tx, row.id));
        tx.recordEvent({ type: 'operation.finished', resource: row.id, data: { operation: data } });
        return { data };
      }),
    ),
  ];
}

const presentResult = (row: Row<'bulk_results'>, name: string | null): OperationResult => ({
  device_id: row.device_id,
  device_name: name,
  status: row.status,
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
  command_id: row.command_id,
  deployment_id: row.deployment_id,
  finished_at: toIsoOrNull(row.finished_at),
});
