import type { Alert, AlertRule } from '@placard/client';
import type { Command } from 'commander';
import { findStore } from '../find.ts';
import { UsageError } from '../output/failure.ts';
import type { Columns } from '../output/table.ts';
import type { OpenSession } from '../session.ts';
import { collect, splitList } from '../targets.ts';
import { addMuteCommands } from './alert-mutes.ts';

type Condition = AlertRule['condition'];

const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja'] as const;

function formatCondition(condition: Condition): string {
  const lasting = condition.minutes === 0 ? '' : ` for ${condition.minutes} min`;
  return `${formatState(condition)}${lasting}`;
}

function formatState(condition: Condition): string {
  switch (condition.type) {
    case 'fault':
      return `fault ${condition.code ?? 'of any kind'}`;
    case 'old_version':
      return `older than ${condition.version}`;
    case 'hot':
      return `${condition.celsius} °C or hotter`;
    case 'disk_below':
      return `less than ${condition.free} ${condition.unit === 'percent' ? '%' : condition.unit} free`;
    case 'nothing_playable':
      return 'nothing to show';
    case 'screen_black':
      return `black in ${condition.pictures} pictures`;
    case 'screen_frozen':
      return `alike in ${condition.pictures} pictures`;
    case 'offline':
    case 'behind':
    default:
      return condition.type;
  }
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

const DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;

type OpeningSpan = NonNullable<AlertRule['opening_hours']>[number];

const formatSpan = ({ days, start_time: start, end_time: end }: OpeningSpan): string =>
  `${days.join('+')} ${start}-${end}`;

/** `MON-SAT 09:00-20:00`, `SUN 10:00-18:00`. */
function toSpan(text: string): OpeningSpan {
  const [, first, last, start = '', end = ''] =
    /^([A-Z]{3})(?:-([A-Z]{3}))? (\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? [];
  const from = DAYS.findIndex((day) => day === first);
  const to = DAYS.findIndex((day) => day === (last ?? first));
  if (from < 0 || to < from) {
    throw new UsageError(`"${text}" are no opening hours: give them as "MON-SAT 09:00-20:00".`);
  }
  return { days: DAYS.slice(from, to + 1), start_time: start, end_time: end };
}

/** Clouds of older versions do not answer them. */
const escalationsOf = ({ escalations = [] }: Partial<Pick<AlertRule, 'escalations'>>) => escalations;

const RULE_COLUMNS: Columns<AlertRule> = {
  ID: ({ id }) => id,
  NAME: ({ name }) => name,
  ALERT: ({ condition }) => formatCondition(condition),
  ACTIVE: ({ is_active: active }) => (active ? 'yes' : 'no'),
  HOURS: ({ opening_hours: hours }) => hours?.map(formatSpan) ?? null,
  MAIL: ({ recipients }) => recipients,
  LATER: (rule) =>
    escalationsOf(rule).map(({ after_minutes: minutes, recipients }) => `${minutes}:${recipients.join('+')}`),
};

interface RuleOptions {
  offline?: string;
  fault?: string;
  behind?: string;
  olderThan?: string;
  hot?: string;
  diskBelow?: string;
  nothingPlayable?: string;
  black?: string;
  frozen?: string;
  for: string;
  hours?: string[];
  store?: string;
  tag?: string;
  mail: string[];
  escalate?: string[];
  language: string;
}

type ConditionOption = Exclude<
  keyof RuleOptions,
  'for' | 'hours' | 'store' | 'tag' | 'mail' | 'escalate' | 'language'
>;

/** The options that are a condition, each with what it means for so many minutes (`--for`). */
const CONDITIONS: readonly [ConditionOption, (text: string, minutes: number) => Condition][] = [
  ['offline', (text) => ({ type: 'offline', minutes: toNumber(text) })],
  ['fault', (code, minutes) => ({ type: 'fault', code: code === 'any' ? null : code, minutes })],
  ['behind', (text) => ({ type: 'behind', minutes: toNumber(text) })],
  ['olderThan', (version, minutes) => ({ type: 'old_version', version, minutes })],
  ['hot', (text, minutes) => ({ type: 'hot', celsius: toNumber(text), minutes })],
  ['diskBelow', (text, minutes) => ({ type: 'disk_below', ...toFreeSpace(text), minutes })],
  ['nothingPlayable', (text) => ({ type: 'nothing_playable', minutes: toNumber(text) })],
  ['black', (text, minutes) => ({ type: 'screen_black', pictures: toNumber(text), minutes })],
  ['frozen', (text, minutes) => ({ type: 'screen_frozen', pictures: toNumber(text), minutes })],
];

function toCondition(options: RuleOptions): Condition {
  const given = CONDITIONS.flatMap(([option, read]) => {
    const text = options[option];
    return text === undefined ? [] : [() => read(text, toNumber(options.for))];
  });
  const [condition] = given;
  if (!condition || given.length > 1) {
    throw new UsageError(
      'Exactly one of --offline, --fault, --behind, --older-than, --hot, --disk-below, --nothing-playable, --black and --frozen.',
    );
  }
  return condition();
}

function toFreeSpace(text: string) {
  const [, free, unit] = /^(\d{1,9})(MB|%)$/.exec(text) ?? [];
  if (free === undefined) {
    throw new UsageError(`"${text}" is no disk space: give it as 500MB or 10%.`);
  }
  return { free: Number(free), unit: unit === '%' ? 'percent' : 'MB' } as const;
}

/** `60:boss@example.com,desk@example.com`. */
function toEscalation(text: string) {
  const [, minutes, addresses] = /^(\d{1,5}):(.+)$/.exec(text) ?? [];
  if (minutes === undefined || addresses === undefined) {
    throw new UsageError(`"${text}" is no escalation: give it as 60:a@example.com,b@example.com.`);
  }
  return { after_minutes: Number(minutes), recipients: splitList(addresses) };
}

function toNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text)) {
    throw new UsageError(`"${text}" is no whole number.`);
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
    .option('--hot <celsius>', 'screens that are so hot or hotter')
    .option('--disk-below <amount>', 'screens with less free disk space: 500MB or 10%')
    .option('--nothing-playable <minutes>', 'screens that have had nothing to show for so long')
    .option('--black <pictures>', 'screens of which so many pictures, one after the other, are black')
    .option('--frozen <pictures>', 'screens of which so many look the same though they show something else')
    .option(
      '--for <minutes>',
      'of a fault, a version, heat, disk space or pictures: how long it must last',
      '0',
    )
    .option(
      '--hours <hours>',
      'only in these hours, such as "MON-SAT 09:00-20:00", of the store; repeat for several',
      collect,
    )
    .option('--store <name>', 'only screens of this store')
    .option('--tag <tag>', 'only screens with this tag')
    .option('--mail <a,b>', 'addresses that get a mail', splitList, [])
    .option('--escalate <minutes:a,b>', 'addresses that get one if it is still open then; up to 3', collect)
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
        {
          name,
          condition,
          filter,
          recipients,
          // Only what was given: clouds of older versions refuse fields that they do not know.
          ...(options.hours && { opening_hours: options.hours.map(toSpan) }),
          ...(options.escalate && { escalations: options.escalate.map(toEscalation) }),
          language,
        },
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
  addMuteCommands(alerts, open);
}
