import { scheduleOperations as operations } from '@placard/protocol/api';
import type { RuleInput, Schedule, WebhookEvent } from '@placard/protocol/api';
import { findRruleProblems } from '../../domain/check-rules.ts';
import type { Target } from '@placard/schedule';
import { assignRuleIds } from '../../domain/schedule-rules.ts';
import type { StoredRule } from '../../domain/schedule-rules.ts';
import type { Repositories, Transaction } from '../../database/cloud-database.ts';
import { listResult, resourceRoute, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { presentSchedule, presentScheduleSummary } from '../../http-server/present.ts';
import { requireAll, requireFound, requireTargets, requireWithinLimits } from '../request-checks.ts';
import { checkSchedule } from './schedule-warnings.ts';

const requireSchedule = async (repositories: Repositories, id: string, stores?: readonly string[]) =>
  requireFound(await repositories.schedules.find(id, stores), 'SCHEDULE_NOT_FOUND');

/** Without the warnings that a change gets with it. */
function scheduleSettings(schedule: Schedule) {
  const { id, name, is_active, targets, rules } = schedule;
  return { id, name, is_active, targets, rules };
}

export function scheduleRoutes({ database, newId }: HttpDeps): Route[] {
  /** The function gives the same new rules the same ids each time: before the transaction, and in it. */
  const createRuleAssignment = (sent: readonly RuleInput[], nowMs: number) => {
    const ids = sent.map(() => newId('rule'));
    return (before: readonly StoredRule[]): StoredRule[] => {
      const unused = ids.values();
      return assignRuleIds(before, sent, () => unused.next().value ?? newId('rule'), nowMs);
    };
  };

  return [
    route(operations.listSchedules, async ({ query, actor }) =>
      listResult(
        await database.schedules.list({ ...query, stores: actor?.stores ?? undefined }),
        presentScheduleSummary,
        query,
      ),
    ),
    route(
      operations.createSchedule,
      async ({ body, nowMs, actor, commit }) => {
        const id = newId('schedule');
        const rules = createRuleAssignment(body.rules, nowMs)([]);
        const warnings = await checkSchedule(database, { id, targets: body.targets, rules }, body.rules, {
          nowMs,
          stores: actor?.stores ?? undefined,
        });
        return commit(async (tx) => {
          await tx.schedules.insert({
            id,
            name: body.name,
            is_active: body.is_active ? 1 : 0,
            created_at: nowMs,
            updated_at: nowMs,
          });
          requireWithinLimits({ schedules: (await tx.schedules.countAll()).schedules }, '');
          await writeRules(tx, id, [], rules);
          await writeTargets(tx, id, [], body.targets);
          return { data: { ...(await publishScheduleChange(tx, id, 'schedule.changed')), warnings } };
        });
      },
      findRruleProblems,
    ),
    resourceRoute(database, operations.getSchedule, {
      read: async (source, { id }, stores) => presentSchedule(await requireSchedule(source, id, stores)),
      settingsOf: scheduleSettings,
    }),
    route(
      operations.updateSchedule,
      async ({ params, body, nowMs, actor, commit }) => {
        const known = await requireSchedule(database, params.id);
        const assignRules = body.rules && createRuleAssignment(body.rules, nowMs);
        const rules = assignRules?.(known.rules) ?? known.rules;
        const targets = body.targets ?? known.targets;
        const warnings = await checkSchedule(
          database,
          { id: params.id, targets, rules },
          body.rules ?? null,
          { nowMs, stores: actor?.stores ?? undefined },
        );
        return commit(async (tx) => {
          const before = await requireSchedule(tx, params.id);
          if (assignRules) {
            await writeRules(tx, params.id, before.rules, assignRules(before.rules));
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

async function writeRules(
  tx: Transaction,
  scheduleId: string,
  before: readonly StoredRule[],
  rules: readonly StoredRule[],
): Promise<void> {
  const playlistIds = [...new Set(rules.map((rule) => rule.playlist_id))];
  const playlists = await tx.playlists.findNames(playlistIds);
  requireAll(playlistIds, playlists, 'PLAYLIST_NOT_FOUND', 'A rule names a playlist that does not exist');
  await tx.schedules.replaceRules(scheduleId, rules);
  if (rules.length > before.length) {
    requireWithinLimits({ rules: (await tx.schedules.countAll()).rules }, 'rules');
  }
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
