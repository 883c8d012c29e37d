import type { Alert } from '@placard/client';
import type { Command } from 'commander';
import { formatCondition } from '../alert-conditions.ts';
import type { Columns } from '../output/table.ts';
import type { OpenSession } from '../session.ts';
import { addMuteCommands } from './alert-mutes.ts';
import { addRuleCommands } from './alert-rules.ts';

const formatSubject = ({ subject }: Alert): string =>
  subject.type === 'all' ? 'several screens' : (subject.name ?? subject.id ?? '');

/** Why an alert that is not open has ended; a reason that this version does not know by its name. */
const formatReason = ({ resolved_because: because }: Alert): string | null => {
  switch (because) {
    case 'rule_changed':
      return 'rule changed';
    case 'not_watched':
      return 'not known to be over: screens no longer watched';
    case 'over':
    case null:
    default:
      return because;
  }
};

const ALERT_COLUMNS: Columns<Alert> = {
  ID: ({ id }) => id,
  STATUS: ({ status }) => status,
  ABOUT: formatSubject,
  ALERT: ({ condition }) => formatCondition(condition),
  SCREENS: ({ status, devices, devices_affected: affected }) => (status === 'open' ? affected : devices),
  SINCE: ({ opened_at: opened }) => opened,
  RESOLVED: ({ resolved_at: resolved }) => resolved,
  BECAUSE: formatReason,
};

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
  addRuleCommands(alerts, open);
  addMuteCommands(alerts, open);
}
