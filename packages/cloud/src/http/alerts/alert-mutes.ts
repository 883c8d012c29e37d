import { alertOperations as operations, MAX_ALERT_MUTES, MAX_MUTE_DAYS } from '@placard/protocol/api';
import type { AlertMute } from '@placard/protocol/api';
import type { Repositories } from '../../database/cloud-database.ts';
import { ApiError, validationError } from '../../domain/api-error.ts';
import { DAY_MS } from '../../domain/durations.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import { presentAlertMute } from '../../http-server/present-alert.ts';
import type { HttpDeps } from '../deps.ts';
import { requireDevice } from '../devices/device-detail.ts';
import { requireFound, requireStore } from '../request-checks.ts';

function toUntilMs(until: string, nowMs: number): number {
  const untilMs = Date.parse(until);
  if (untilMs <= nowMs || untilMs > nowMs + MAX_MUTE_DAYS * DAY_MS) {
    throw validationError([
      { path: 'until', message: `must lie in the future, at most ${MAX_MUTE_DAYS} days ahead` },
    ]);
  }
  return untilMs;
}

async function requireTarget(repositories: Repositories, target: AlertMute['target']): Promise<void> {
  if (target.type === 'device') {
    await requireDevice(repositories, target.id);
  } else if (target.type === 'store') {
    await requireStore(repositories, target.id);
  }
}

export function alertMuteRoutes({ database, newId, clock }: HttpDeps): Route[] {
  return [
    route(operations.listAlertMutes, async () => ({
      data: (await database.alertMutes.listCurrent(clock.nowMs())).map(presentAlertMute),
    })),
    route(operations.createAlertMute, async ({ body, nowMs, commit }) =>
      commit(async (tx) => {
        const until = toUntilMs(body.until, nowMs);
        await requireTarget(tx, body.target);
        await tx.alertMutes.deleteOver(nowMs);
        if ((await tx.alertMutes.listCurrent(nowMs)).length >= MAX_ALERT_MUTES) {
          throw new ApiError('CONFLICT', `There are ${MAX_ALERT_MUTES} mutes; delete one first.`, {
            details: { reason: 'too_many_alert_mutes', limit: MAX_ALERT_MUTES },
          });
        }
        const row = {
          id: newId('alertMute'),
          kind: body.target.type,
          ref: body.target.type === 'all' ? '' : body.target.id,
          until,
          reason: body.reason,
          created_at: nowMs,
        };
        await tx.alertMutes.insert(row);
        return { data: presentAlertMute(row) };
      }),
    ),
    route(operations.deleteAlertMute, async ({ params, nowMs, commit }) =>
      commit(async (tx) => {
        const found = await tx.alertMutes.find(params.id);
        const isCurrent = found !== undefined && found.until > nowMs;
        const { id } = requireFound(isCurrent ? found : undefined, 'ALERT_MUTE_NOT_FOUND');
        await tx.alertMutes.delete(id);
        return { data: { id, deleted: true } };
      }),
    ),
  ];
}
