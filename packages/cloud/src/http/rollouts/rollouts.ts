import { rolloutOperations as operations } from '@placard/protocol/api';
import type { Repositories } from '../../database/cloud-database.ts';
import { ApiError } from '../../domain/api-error.ts';
import { toIsoOrNull } from '../../domain/iso-time.ts';
import { tabulateKinds } from '../../domain/rollout-table.ts';
import { listResult, resourceRoute, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import { beginningOfRing, changeRollout, recordRollout, stopRollout } from '../../rollouts/change-rollout.ts';
import { readComparedDevices } from '../../rollouts/compare-devices.ts';
import { presentRollout, presentRolloutDevice, presentRollouts } from '../../rollouts/present-rollout.ts';
import type { HttpDeps } from '../deps.ts';
import { requireFound, requireStore } from '../request-checks.ts';

const requireRollout = async ({ rollouts }: Pick<Repositories, 'rollouts'>, id: string) =>
  requireFound(await rollouts.find(id), 'ROLLOUT_NOT_FOUND');

const unfinished = (message: string) =>
  new ApiError('CONFLICT', message, { details: { reason: 'rollout_unfinished' } });

export function rolloutRoutes({ database, newId }: HttpDeps): Route[] {
  return [
    route(operations.createRollout, async ({ actor, body, request, nowMs, commit }) =>
      commit(async (tx) => {
        if ((await tx.rollouts.countUnfinished()) > 0) {
          throw unfinished('A rollout has not ended; wait until it has, or stop it.');
        }
        if (body.filter.store_id !== undefined) {
          await requireStore(tx, body.filter.store_id);
        }
        const id = newId('rollout');
        await tx.rollouts.insert({
          id,
          name: body.name,
          version: body.version,
          filter: JSON.stringify(body.filter),
          rings: JSON.stringify(body.rings),
          hold_hours: body.hold_hours,
          status: 'selecting',
          reason: null,
          ...beginningOfRing(0),
          fleet: 0,
          self_updating: 0,
          actor_type: actor?.type ?? 'api_key',
          actor_id: actor?.id ?? '',
          actor_name: actor?.name ?? '',
          address: request.ip,
          request_id: request.id,
          created_at: nowMs,
          finished_at: null,
        });
        return { data: await recordRollout(tx, await requireRollout(tx, id), 'rollout.created') };
      }),
    ),
    route(operations.listRollouts, async ({ query }) => {
      const page = await database.rollouts.list(query);
      const presented = await presentRollouts(database, page.rows);
      return listResult(page, ({ id }) => presented.get(id)!, query);
    }),
    resourceRoute(database, operations.getRollout, {
      read: async (source, { id }) => presentRollout(source, await requireRollout(source, id)),
    }),
    route(operations.getRolloutComparison, async ({ params, nowMs }) => {
      const row = await requireRollout(database, params.id);
      const devices = row.observed_from === null ? [] : await readComparedDevices(database, row, nowMs);
      return {
        data: { ring: row.ring, since: toIsoOrNull(row.observed_from), kinds: tabulateKinds(devices) },
      };
    }),
    route(operations.listRolloutDevices, async ({ params, query }) => {
      const page = await database.rolloutDevices.list((await requireRollout(database, params.id)).id, query);
      const names = await database.devices.findNames(page.rows.map((row) => row.device_id));
      return listResult(page, (row) => presentRolloutDevice(row, names.get(row.device_id) ?? null), query);
    }),
    route(operations.stopRollout, async ({ actor, params, nowMs, commit }) =>
      commit(async (tx) => {
        const row = requireFound(await tx.rollouts.lock(params.id), 'ROLLOUT_NOT_FOUND');
        const cause = { type: 'stopped_by_hand', name: actor?.name ?? '-' } as const;
        return {
          data: await (row.finished_at === null
            ? stopRollout(tx, row, cause, nowMs)
            : presentRollout(tx, row)),
        };
      }),
    ),
    route(operations.continueRollout, async ({ params, commit }) =>
      commit(async (tx) => {
        const row = requireFound(await tx.rollouts.lock(params.id), 'ROLLOUT_NOT_FOUND');
        if (row.status !== 'held') {
          throw new ApiError('CONFLICT', 'Only a rollout that is held can be continued.', {
            details: { reason: 'rollout_not_held' },
          });
        }
        const next = { status: 'running', reason: null, ...beginningOfRing(row.ring + 1) } as const;
        return { data: await changeRollout(tx, row, next, 'rollout.continued') };
      }),
    ),
    route(operations.deleteRollout, async ({ params, commit }) =>
      commit(async (tx) => {
        const row = await requireRollout(tx, params.id);
        if (row.finished_at === null) {
          throw unfinished('It has not ended: stop it first.');
        }
        const held = await tx.rollouts.findHolding();
        await recordRollout(tx, row, 'rollout.deleted');
        // A job deletes its devices: there may be many.
        await tx.rollouts.delete(row.id);
        const holding = await tx.rollouts.findHolding();
        if (holding && holding.id !== held?.id) {
          throw new ApiError(
            'CONFLICT',
            `Without it the rollout of ${holding.version} before it, ${holding.id}, would hold updates: delete that one first.`,
            { details: { reason: 'rollout_stopped_before', rollout_id: holding.id } },
          );
        }
        return { data: { id: row.id, deleted: true } };
      }),
    ),
  ];
}
