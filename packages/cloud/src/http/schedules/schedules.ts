import { setImmediate } from 'node:timers/promises';
import { scheduleOperations as operations } from '@placard/protocol/api';
import type { RuleInput, WebhookEvent } from '@placard/protocol/api';
import { checkRule } from '@placard/schedule';
import { checkRules, rruleProblems } from '../../domain/check-rules.ts';
import { refusal } from '../../domain/refusal.ts';
import type { Target } from '../../domain/reach.ts';
import { matchRules } from '../../domain/schedule-rules.ts';
import type { RuleRow, ScheduleRow } from '../../store/schedules.ts';
import type { Repositories, Work } from '../../store/store.ts';
import { page, route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { presentSchedule, presentScheduleSummary } from '../present.ts';
import { requirePlaylists, requireRoom, requireTargets } from '../require.ts';

async function requireSchedule(from: Repositories, id: string): Promise<ScheduleRow> {
  const row = await from.schedules.find(id);
  if (!row) throw refusal('SCHEDULE_NOT_FOUND', 'The requested schedule does not exist.');
  return row;
}

// Without its times a rule is not asked whether it ever occurs.
const alsoWrong = (body: unknown) => rruleProblems(body, checkRule);

export function scheduleRoutes({ store, newId }: Pick<HttpDeps, 'store' | 'newId'>): Route[] {
  const writeRules = async (
    work: Work,
    scheduleId: string,
    before: readonly RuleRow[],
    sent: readonly RuleInput[],
    nowMs: number,
  ) => {
    await requirePlaylists(
      work,
      sent.map((rule) => rule.playlist_id),
    );
    await work.schedules.replaceRules(
      scheduleId,
      matchRules(before, sent, () => newId('rule'), nowMs),
    );
    if (sent.length > before.length) requireRoom({ rules: (await work.schedules.totals()).rules }, 'rules');
  };
  /** Before the transaction, for it takes its time; with the engine that will run the rules. */
  const warningsOf = async (rules: readonly RuleInput[], nowMs: number) => {
    const { timezone } = await store.organization.get();
    const created_at = new Date(nowMs).toISOString();
    return checkRules(rules, {
      check: (rule) => checkRule({ ...rule, created_at }, timezone),
      pause: () => setImmediate(),
    });
  };

  return [
    route(operations.listSchedules, async ({ query }) => {
      const { rows, total } = await store.schedules.list(query);
      return page(rows.map(presentScheduleSummary), total, query);
    }),
    route(
      operations.createSchedule,
      async ({ body, nowMs, commit }) => {
        const warnings = await warningsOf(body.rules, nowMs);
        return commit(async (work) => {
          const id = newId('schedule');
          await work.schedules.insert({
            id,
            name: body.name,
            is_active: body.is_active ? 1 : 0,
            created_at: nowMs,
            updated_at: nowMs,
          });
          requireRoom({ schedules: (await work.schedules.totals()).schedules }, '');
          await writeRules(work, id, [], body.rules, nowMs);
          await writeTargets(work, id, [], body.targets);
          return { data: { ...(await changed(work, id, 'schedule.changed')), warnings } };
        });
      },
      alsoWrong,
    ),
    route(operations.getSchedule, async ({ params }) => ({
      data: presentSchedule(await requireSchedule(store, params.id)),
    })),
    route(
      operations.updateSchedule,
      async ({ params, body, nowMs, commit }) => {
        await requireSchedule(store, params.id);
        const warnings = await warningsOf(body.rules ?? [], nowMs);
        return commit(async (work) => {
          const before = await requireSchedule(work, params.id);
          if (body.rules) await writeRules(work, params.id, before.rules, body.rules, nowMs);
          if (body.targets) await writeTargets(work, params.id, before.targets, body.targets);
          const active = body.is_active === undefined ? undefined : body.is_active ? 1 : 0;
          await work.schedules.update(params.id, { name: body.name, is_active: active }, nowMs);
          const data = await changed(work, params.id, 'schedule.changed');
          if (active !== undefined && active !== before.is_active)
            await changed(work, params.id, active === 1 ? 'schedule.activated' : 'schedule.deactivated');
          return { data: { ...data, warnings } };
        });
      },
      alsoWrong,
    ),
    route(operations.activateSchedule, async ({ params, nowMs, commit }) =>
      commit(async (work) => ({ data: await setActive(work, params.id, true, nowMs) })),
    ),
    route(operations.deactivateSchedule, async ({ params, nowMs, commit }) =>
      commit(async (work) => ({ data: await setActive(work, params.id, false, nowMs) })),
    ),
    route(operations.deleteSchedule, async ({ params, commit }) =>
      commit(async (work) => {
        await changed(work, params.id, 'schedule.changed');
        await work.schedules.delete(params.id);
        return { data: { id: params.id, deleted: true } };
      }),
    ),
  ];
}

async function writeTargets(
  work: Work,
  scheduleId: string,
  before: readonly Target[],
  sent: readonly Target[],
): Promise<void> {
  await requireTargets(work, sent);
  await work.schedules.replaceTargets(scheduleId, sent);
  if (sent.length > before.length)
    requireRoom({ targets: (await work.schedules.totals()).targets }, 'targets');
}

/** After a change: screens may show something else, and webhooks want to know. */
async function changed(work: Work, id: string, type: WebhookEvent) {
  const data = presentSchedule(await requireSchedule(work, id));
  work.affects('all');
  await work.notify({ type, resource: id, data: { schedule: data } });
  return data;
}

async function setActive(work: Work, id: string, active: boolean, nowMs: number) {
  const row = await requireSchedule(work, id);
  if ((row.is_active === 1) === active) return presentSchedule(row);
  await work.schedules.update(id, { is_active: active ? 1 : 0 }, nowMs);
  return changed(work, id, active ? 'schedule.activated' : 'schedule.deactivated');
}
