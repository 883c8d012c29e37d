import { setImmediate } from 'node:timers/promises';
import { scheduleOperations as operations } from '@placard/protocol/api';
import type { RuleInput, Schedule, WebhookEvent } from '@placard/protocol/api';
import { checkRule } from '@placard/schedule';
import { checkRules, findRruleProblems } from '../../domain/check-rules.ts';
import type { Target } from '@placard/schedule';
import { assignRuleIds } from '../../domain/schedule-rules.ts';
import type { RuleRow } from '../../database/schedules.ts';
import type { Repositories, Transaction } from '../../database/cloud-database.ts';
import { listResult, resourceRoute, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { presentSchedule, presentScheduleSummary } from '../../http-server/present.ts';
import { requireAll, requireFound, requireTargets, requireWithinLimits } from '../request-checks.ts';

const requireSchedule = async (repositories: Repositories, id: string) =>
  requireFound(await repositories.schedules.find(id), 'SCHEDULE_NOT_FOUND');

/** Without the warnings that a change gets with it. */
function scheduleSettings(schedule: Schedule) {
  const { id, name, is_active, targets, rules } = schedule;
  return { id, name, is_active, targets, rules };
}

export function scheduleRoutes({ database, newId }: HttpDeps): Route[] {
  const writeRules = async (
    tx: Transaction,
    scheduleId: string,
    before: readonly RuleRow[],
    sent: readonly RuleInput[],
    nowMs: number,
  ) => {
    const playlistIds = [...new Set(sent.map((rule) => rule.playlist_id))];
    const playlists = await tx.playlists.findNames(playlistIds);
    requireAll(playlistIds, playlists, 'PLAYLIST_NOT_FOUND', 'A rule names a playlist that does not exist');
    await tx.schedules.replaceRules(
      scheduleId,
      assignRuleIds(before, sent, () => newId('rule'), nowMs),
    );
    if (sent.length > before.length) {
      requireWithinLimits({ rules: (await tx.schedules.countAll()).rules }, 'rules');
    }
  };
  /** Runs before the transaction because it is slow; uses the same schedule engine as the player. */
  const collectRuleWarnings = async (rules: readonly RuleInput[], nowMs: number) => {
    const { timezone } = await database.organization.get();
    const created_at = new Date(nowMs).toISOString();
    return checkRules(rules, {
      check: (rule) => checkRule({ ...rule, created_at }, timezone),
      yieldToEventLoop: () => setImmediate(),
    });
  };

  return [
    route(operations.listSchedules, async ({ query }) =>
      listResult(await database.schedules.list(query), presentScheduleSummary, query),
    ),
    route(
      operations.createSchedule,
      async ({ body, nowMs, commit }) => {
        const warnings = await collectRuleWarnings(body.rules, nowMs);
        return commit(async (tx) => {
          const id = newId('schedule');
          await tx.schedules.insert({
            id,
            name: body.name,
            is_active: body.is_active ? 1 : 0,
            created_at: nowMs,
            updated_at: nowMs,
          });
          requireWithinLimits({ schedules: (await tx.schedules.countAll()).schedules }, '');
          await writeRules(tx, id, [], body.rules, nowMs);
          await writeTargets(tx, id, [], body.targets);
          return { data: { ...(await publishScheduleChange(tx, id, 'schedule.changed')), warnings } };
        });
      },
      findRruleProblems,
    ),
    resourceRoute(database, operations.getSchedule, {
      read: async (source, { id }) => presentSchedule(await requireSchedule(source, id)),
      settingsOf: scheduleSettings,
    }),
    route(
      operations.updateSchedule,
      async ({ params, body, nowMs, commit }) => {
        await requireSchedule(database, params.id);
        const warnings = await collectRuleWarnings(body.rules ?? [], nowMs);
        return commit(async (tx) => {
          const before = await requireSchedule(tx, params.id);
          if (body.rules) {
            await writeRules(tx, params.id, before.rules, body.rules, nowMs);
          }
          if (body.targets) {
            await writeTargets(tx, params.id, before.targets, body.targets);
          }
          const active = body.is_active === undefined ? undefined : body.is_active ? 1 : 0;
          await tx.schedules.update(params.id, { name: body.name, is_active: active }, nowMs);
          const data = await publishScheduleChange(tx, params.id, 'schedule.changed');
          if (active !== undefined && active !== before.is_active) {
            await publishScheduleChange(
              tx,
              params.id,
              active === 1 ? 'schedule.activated' : 'schedule.deactivated',
            );
          }
          return { data: { ...data, warnings } };
        });
      },
      findRruleProblems,
    ),
    route(operations.activateSchedule, async ({ params, nowMs, commit }) =>
      commit(async (tx) => ({ data: await setActive(tx, params.id, true, nowMs) })),
    ),
    route(operations.deactivateSchedule, async ({ params, nowMs, commit }) =>
      commit(async (tx) => ({ data: await setActive(tx, params.id, false, nowMs) })),
    ),
    route(operations.deleteSchedule, async ({ params, commit }) =>
      commit(async (tx) => {
        await publishScheduleChange(tx, params.id, 'schedule.changed');
        await tx.schedules.delete(params.id);
        return { data: { id: params.id, deleted: true } };
      }),
    ),
  ];
}

async function writeTargets(
  tx: Transaction,
  scheduleId: string,
  before: readonly Target[],
  sent: readonly Target[],
): Promise<void> {
  await requireTargets(tx, sent);
  await tx.schedules.replaceTargets(scheduleId, sent);
  if (sent.length > before.length) {
    requireWithinLimits({ targets: (await tx.schedules.countAll()).targets }, 'targets');
  }
}

/** After a change: marks the affected manifests and notifies webhooks. */
async function publishScheduleChange(tx: Transaction, id: string, type: WebhookEvent) {
  const data = presentSchedule(await requireSchedule(tx, id));
  tx.invalidateManifests({ scheduleIds: [id] });
  tx.recordEvent({ type, resource: id, data: { schedule: data } });
  return data;
}

async function setActive(tx: Transaction, id: string, active: boolean, nowMs: number) {
  const row = await requireSchedule(tx, id);
  if ((row.is_active === 1) === active) {
    return presentSchedule(row);
  }
  await tx.schedules.update(id, { is_active: active ? 1 : 0 }, nowMs);
  return publishScheduleChange(tx, id, active ? 'schedule.activated' : 'schedule.deactivated');
}
