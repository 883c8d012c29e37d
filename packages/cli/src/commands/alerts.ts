import type { Alert, AlertRule } from '@placard/client';
import type { Command } from 'commander';
import { findStore } from '../find.ts';
import { UsageError } from '../output/failure.ts';
import type { Columns } from '../output/table.ts';
import type { OpenSession } from '../session.ts';
import { splitList } from '../targets.ts';

type Condition = AlertRule['condition'];

const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja'] as const;

function formatCondition(condition: Condition): string {
  const lasting = condition.minutes === 0 ? '' : ` for ${condition.minutes} min`;
  if (condition.type === 'fault') {
    return `fault ${condition.code ?? 'of any kind'}${lasting}`;
  }
  return condition.type === 'old_version'
    ? `older than ${condition.version}${lasting}`
    : `${condition.type}${lasting}`;
}

const formatSubject = ({ subject }: Alert): string =>
  subject.type === 'all' ? 'several screens' : (subject.name ?? subject.id ?? '');

const ALERT_COLUMNS: Columns<Alert> = {
  ID: ({ id }) => id,
  STATUS: ({ status }) => status,
  ABOUT: formatSubject,
  ALERT: ({ condition }) => formatCondition(condition),
  SCREENS: ({ status, devices, devices_affected: affected }) => (status === 'open' ? affected : devices),
  SINCE: ({ opened_at: opened }) => opened,
  RESOLVED: ({ resolved_at: resolved }) => resolved,
};

const RULE_COLUMNS: Columns<AlertRule> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  ALERT: ({ condition }) => formatCondition(condition),
  ACTIVE: ({ is_active: active }) => (active ? 'yes' : 'no'),
  MAIL: ({ recipients }) => recipients,
};

interface RuleOptions {
  offline?: string;
  fault?: string;
  behind?: string;
  olderThan?: string;
  for: string;
  store?: string;
  tag?: string;
  mail: string[];
  language: string;
}

const ONE_CONDITION = 'Exactly one of --offline, --fault, --behind and --older-than.';

function toCondition({ offline, fault, behind, olderThan, for: lasting }: RuleOptions): Condition {
  const given = [offline, fault, behind, olderThan].filter((each) => each !== undefined);
  if (given.length !== 1) {
    throw new UsageError(ONE_CONDITION);
  }
  if (offline !== undefined) {
    return { type: 'offline', minutes: toMinutes(offline) };
  }
  if (behind !== undefined) {
    return { type: 'behind', minutes: toMinutes(behind) };
  }
  const minutes = toMinutes(lasting);
  return olderThan === undefined
    ? { type: 'fault', code: fault === 'any' ? null : (fault ?? null), minutes }
    : { type: 'old_version', version: olderThan, minutes };
}

function toMinutes(text: string): number {
  if (!/^\d{1,5}$/.test(text)) {
    throw new UsageError(`"${text}" is no number of minutes.`);
  }
  return Number(text);
}

export function addAlertCommands(program: Command, open: OpenSession): void {
  const alerts = program.command('alerts').description('what is wrong with screens, by rules of yours');
  alerts
    .command('list', { isDefault: true })
    .description('open alerts, newest first')
    .option('--all', 'also those that were resolved')
    .action(async ({ all }: { all?: true }) => {
      const { placard, out, signal } = await open();
      const found = placard.alerts.list({ status: all ? undefined : 'open' }, { signal });
      out.list(await found.toArray(), ALERT_COLUMNS);
    });
  alerts
    .command('show <id>')
    .description('an alert and its screens')
    .action(async (id: string) => {
      const { placard, out, signal } = await open();
      const alert = await placard.alerts.get(id, { signal });
      const devices = await placard.alerts.listDevices(id, {}, { signal }).toArray();
      if (out.json) {
        return out.one({ ...alert, screens: devices });
      }
      out.list([alert], ALERT_COLUMNS);
      out.list(devices, {
        SCREEN: ({ device_name: name, device_id: device }) => name ?? device,
        SINCE: ({ joined_at: joined }) => joined,
        OVER: ({ over_at: over }) => over,
      });
    });
  alerts
    .command('rules')
    .description('when there is an alert')
    .action(async () => {
      const { placard, out, signal } = await open();
      out.list(await placard.alerts.listRules({}, { signal }).toArray(), RULE_COLUMNS);
    });
  alerts
    .command('add-rule <name>')
    .description('add a rule')
    .option('--offline <minutes>', 'screens that are offline for so long')
    .option('--fault <code>', 'screens that report this fault, or any')
    .option('--behind <minutes>', 'screens that do not show what they should for so long')
    .option('--older-than <version>', 'screens with an older player')
    .option('--for <minutes>', 'of a fault or a version: how long it must last', '0')
    .option('--store <name>', 'only screens of this store')
    .option('--tag <tag>', 'only screens with this tag')
    .option('--mail <a,b>', 'addresses that get a mail', splitList, [])
    .option('--language <code>', `of the mails: ${LANGUAGES.join(', ')}`, 'en')
    .action(async (name: string, options: RuleOptions) => {
      const { placard, out, signal } = await open();
      const { store, tag, mail: recipients } = options;
      const language = LANGUAGES.find((each) => each === options.language);
      if (!language) {
        throw new UsageError(`A language is ${LANGUAGES.join(', ')}.`);
      }
      const condition = toCondition(options);
      const filter = {
        ...(tag !== undefined && { tag }),
        ...(store !== undefined && { store_id: await findStore(placard, store) }),
      };
      const rule = await placard.alerts.createRule(
        { name, condition, filter, recipients, language },
        { signal },
      );
      out.done(`The rule "${name}" is ${rule.id}.`, rule);
    });
  alerts
    .command('delete-rule <id>')
    .description('delete a rule; its open alerts are resolved')
    .action(async (id: string) => {
      const { placard, out, signal } = await open();
      out.done(`The rule ${id} is deleted.`, await placard.alerts.deleteRule(id, { signal }));
    });
}
