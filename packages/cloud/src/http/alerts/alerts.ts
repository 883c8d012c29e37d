import { alertOperations as operations, MAX_ALERT_RULES } from '@placard/protocol/api';
import type { AlertFilter, AlertRule } from '@placard/protocol/api';
import { resolveAlerts } from '../../alerts/resolve-alerts.ts';
import type { Repositories } from '../../database/cloud-database.ts';
import type { Row } from '../../database/schema.ts';
import { ApiError, validationError } from '../../domain/api-error.ts';
import { listResult, resourceRoute, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import {
  presentAlert,
  presentAlertDevice,
  presentAlertMail,
  presentAlertRule,
} from '../../http-server/present-alert.ts';
import type { HttpDeps } from '../deps.ts';
import { requireFound, requireStore } from '../request-checks.ts';
import { findRuleWarnings } from './rule-warnings.ts';

const requireRule = async (repositories: Repositories, id: string) =>
  requireFound(await repositories.alertRules.find(id), 'ALERT_RULE_NOT_FOUND');

/** Without the warnings that a change gets with it. */
const ruleSettings = ({
  created_at: _createdAt,
  updated_at: _updatedAt,
  warnings: _warnings,
  ...settings
}: AlertRule & { warnings?: unknown }) => settings;

/** A rule that was made or changed, with what it may not do. */
async function presentChanged(tx: Repositories, row: Row<'alert_rules'>) {
  const rule = presentAlertRule(row);
  return { ...rule, warnings: await findRuleWarnings(tx, rule) };
}

/** For somebody who is bound to stores, one that is not about these is as if it did not exist. */
const requireAlert = async (repositories: Repositories, id: string, stores?: readonly string[]) =>
  requireFound(await repositories.alerts.find(id, stores), 'ALERT_NOT_FOUND');

async function requireFilter(repositories: Repositories, filter: AlertFilter | undefined): Promise<void> {
  if (filter?.store_id !== undefined) {
    await requireStore(repositories, filter.store_id);
  }
}

export function alertRoutes({ database, newId, sendsMail }: HttpDeps): Route[] {
  const requireMail = (
    body: Partial<Record<'recipients' | 'escalations', readonly unknown[] | undefined>>,
  ) => {
    const fields = (['recipients', 'escalations'] as const).filter((field) => (body[field] ?? []).length > 0);
    if (!sendsMail && fields.length > 0) {
      const message = 'must be empty: this cloud sends no mail; start it with --mail-server and --mail-from';
      throw validationError(fields.map((path) => ({ path, message })));
    }
  };

  return [
    route(operations.listAlertRules, async ({ query }) =>
      listResult(await database.alertRules.list(query), presentAlertRule, query),
    ),
    route(operations.createAlertRule, async ({ body, nowMs, commit }) =>
      commit(async (tx) => {
        requireMail(body);
        await requireFilter(tx, body.filter);
        if ((await tx.alertRules.count()) >= MAX_ALERT_RULES) {
          throw new ApiError('CONFLICT', `There are ${MAX_ALERT_RULES} rules for alerts; delete one first.`, {
            details: { reason: 'too_many_alert_rules', limit: MAX_ALERT_RULES },
          });
        }
        const row = {
          id: newId('alertRule'),
          name: body.name,
          condition: JSON.stringify(body.condition),
          filter: JSON.stringify(body.filter),
          is_active: body.is_active ? 1 : 0,
          opening_hours: body.opening_hours && JSON.stringify(body.opening_hours),
          recipients: JSON.stringify(body.recipients),
          escalations: JSON.stringify(body.escalations),
          language: body.language,
          generation: 0,
          created_at: nowMs,
          updated_at: nowMs,
        };
        await tx.alertRules.insert(row);
        return { data: await presentChanged(tx, row) };
      }),
    ),
    resourceRoute(database, operations.getAlertRule, {
      read: async (source, { id }) => presentAlertRule(await requireRule(source, id)),
      settingsOf: ruleSettings,
    }),
    route(operations.updateAlertRule, async ({ params, body, nowMs, commit }) =>
      commit(async (tx) => {
        requireMail(body);
        const before = await requireRule(tx, params.id);
        await requireFilter(tx, body.filter);
        await tx.alertRules.update(before.id, {
          name: body.name,
          ...(body.condition && { condition: JSON.stringify(body.condition) }),
          ...(body.filter && { filter: JSON.stringify(body.filter) }),
          ...(body.is_active !== undefined && { is_active: body.is_active ? 1 : 0 }),
          ...(body.opening_hours !== undefined && {
            opening_hours: body.opening_hours && JSON.stringify(body.opening_hours),
          }),
          ...(body.recipients && { recipients: JSON.stringify(body.recipients) }),
          ...(body.escalations && { escalations: JSON.stringify(body.escalations) }),
          language: body.language,
          updated_at: nowMs,
        });
        const after = await requireRule(tx, before.id);
        if (after.condition !== before.condition || after.filter !== before.filter || after.is_active === 0) {
          await tx.alertRules.update(before.id, { generation: before.generation + 1 });
          await resolveAlerts(tx, await tx.alerts.openOfRule(before.id), 'rule_changed', nowMs);
        }
        return { data: await presentChanged(tx, after) };
      }),
    ),
    route(operations.deleteAlertRule, async ({ params, nowMs, commit }) =>
      commit(async (tx) => {
        const { id } = await requireRule(tx, params.id);
        await resolveAlerts(tx, await tx.alerts.openOfRule(id), 'rule_changed', nowMs);
        await tx.alertRules.delete(id);
        return { data: { id, deleted: true } };
      }),
    ),
    route(operations.listAlerts, async ({ query, actor }) =>
      listResult(
        await database.alerts.list({ ...query, stores: actor?.stores ?? undefined }),
        presentAlert,
        query,
      ),
    ),
    route(operations.getAlert, async ({ params, actor }) => ({
      data: presentAlert(await requireAlert(database, params.id, actor?.stores ?? undefined)),
    })),
    route(operations.listAlertMails, async ({ params }) => {
      const { id } = await requireAlert(database, params.id);
      return { data: (await database.alertMails.ofAlert(id)).map(presentAlertMail) };
    }),
    route(operations.listAlertDevices, async ({ params, query, actor }) => {
      const stores = actor?.stores ?? undefined;
      const alert = await requireAlert(database, params.id, stores);
      const page = await database.alerts.devices(alert, query, stores);
      const names = await database.devices.findNames(page.rows.map((row) => row.device_id));
      return listResult(page, (row) => presentAlertDevice(row, names.get(row.device_id) ?? null), query);
    }),
  ];
}
