import type { AlertRule, Body, PlacardClient } from '@placard/client';
import type { Command } from 'commander';
import { formatCondition, oneCondition, toCondition, withConditions } from '../alert-conditions.ts';
import type { ConditionOptions } from '../alert-conditions.ts';
import { findAlertRule, findStore } from '../find.ts';
import { UsageError } from '../output/failure.ts';
import type { Columns } from '../output/table.ts';
import { noteWarnings } from '../output/warnings.ts';
import type { OpenSession } from '../session.ts';
import { collect, splitList } from '../targets.ts';

const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja'] as const;
/** Takes away what a rule has. */
const NONE = 'none';

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

interface RuleOptions extends ConditionOptions {
  hours?: string[];
  store?: string;
  tag?: string;
  mail?: string[];
  escalate?: string[];
  language?: string;
}

const withRule = (command: Command): Command =>
  withConditions(command)
    .option(
      '--hours <hours>',
      'only in these hours, such as "MON-SAT 09:00-20:00", of the store; repeat for several',
      collect,
    )
    .option('--store <name>', 'only screens of this store')
    .option('--tag <tag>', 'only screens with this tag')
    .option('--mail <a,b>', 'addresses that get a mail', splitList)
    .option('--escalate <minutes:a,b>', 'addresses that get one if it is still open then; up to 3', collect)
    .option('--language <code>', `of the mails: ${LANGUAGES.join(', ')}`);

/** `60:boss@example.com,desk@example.com`. */
function toEscalation(text: string) {
  const [, minutes, addresses] = /^(\d{1,5}):(.+)$/.exec(text) ?? [];
  if (minutes === undefined || addresses === undefined) {
    throw new UsageError(`"${text}" is no escalation: give it as 60:a@example.com,b@example.com.`);
  }
  return { after_minutes: Number(minutes), recipients: splitList(addresses) };
}

function toLanguage(text: string): AlertRule['language'] {
  const language = LANGUAGES.find((each) => each === text);
  if (!language) {
    throw new UsageError(`A language is ${LANGUAGES.join(', ')}.`);
  }
  return language;
}

/** Undefined: no option is about the screens. */
async function toFilter(
  placard: PlacardClient,
  { store, tag }: RuleOptions,
  before: AlertRule['filter'] = {},
): Promise<AlertRule['filter'] | undefined> {
  if (store === undefined && tag === undefined) {
    return undefined;
  }
  const { store_id: storeBefore, tag: tagBefore, ...others } = before;
  const chosen = { store: store ?? storeBefore ?? NONE, tag: tag ?? tagBefore ?? NONE };
  return {
    ...others,
    ...(chosen.store !== NONE && { store_id: await findStore(placard, chosen.store) }),
    ...(chosen.tag !== NONE && { tag: chosen.tag }),
  };
}

const isNone = (texts: readonly string[]): boolean => texts.length === 1 && texts[0] === NONE;

/** Only what was given: clouds of older versions refuse fields that they do not know. */
async function bodyOf(placard: PlacardClient, options: RuleOptions, before?: AlertRule) {
  const { hours, mail, escalate, language } = options;
  const condition = toCondition(options, before?.condition);
  const filter = await toFilter(placard, options, before?.filter);
  return {
    ...(condition && { condition }),
    ...(filter && { filter }),
    ...(mail && { recipients: isNone(mail) ? [] : mail }),
    ...(hours && { opening_hours: isNone(hours) ? null : hours.map(toSpan) }),
    ...(escalate && { escalations: isNone(escalate) ? [] : escalate.map(toEscalation) }),
    ...(language !== undefined && { language: toLanguage(language) }),
  };
}

/** Adds the commands about rules: when there is an alert. */
export function addRuleCommands(alerts: Command, open: OpenSession): void {
  alerts
    .command('rules')
    .description('when there is an alert')
    .action(async () => {
      const { placard, out, signal } = await open();
      out.list(await placard.alerts.listRules({}, { signal }).toArray(), RULE_COLUMNS);
    });
  withRule(alerts.command('add-rule <name>').description('add a rule')).action(
    async (name: string, options: RuleOptions) => {
      const { placard, out, signal } = await open();
      const { condition, ...fields } = await bodyOf(placard, options);
      if (!condition) {
        throw oneCondition();
      }
      const body: Body<'createAlertRule'> = {
        name,
        condition,
        filter: {},
        recipients: [],
        language: 'en',
        ...fields,
      };
      const rule = await placard.alerts.createRule(body, { signal });
      noteWarnings(out, rule.warnings);
      out.done(`The rule "${name}" is ${rule.id}.`, rule);
    },
  );
  withRule(alerts.command('set-rule <rule>'))
    .description(
      'change a rule; what is not given stays, "none" takes hours, store, tag, mail or escalations away. ' +
        'Another condition, store or tag resolves its open alerts',
    )
    .option('--name <name>', 'what it is called')
    .action(async (text: string, { name, ...options }: RuleOptions & { name?: string }) => {
      if (name === undefined && Object.keys(options).length === 0) {
        throw new UsageError('What is to change? See "placard alerts set-rule --help".');
      }
      const { placard, out, signal } = await open();
      const before = await placard.alerts.getRule(await findAlertRule(placard, text), { signal });
      const fields = await bodyOf(placard, options, before);
      const rule = await placard.alerts.updateRule(
        before.id,
        { ...(name !== undefined && { name }), ...fields },
        { signal },
      );
      noteWarnings(out, rule.warnings);
      out.list([rule], RULE_COLUMNS);
    });
  for (const [verb, isActive, description] of [
    ['activate', true, 'open alerts by a rule again'],
    ['deactivate', false, 'open no alerts by a rule; those that are open are resolved'],
  ] as const) {
    alerts
      .command(`${verb}-rule <rule>`)
      .description(description)
      .action(async (text: string) => {
        const { placard, out, signal } = await open();
        const id = await findAlertRule(placard, text);
        const rule = await placard.alerts.updateRule(id, { is_active: isActive }, { signal });
        noteWarnings(out, isActive ? rule.warnings : []);
        out.done(`The rule "${rule.name}" is ${rule.is_active ? 'active' : 'inactive'}.`, rule);
      });
  }
  alerts
    .command('delete-rule <rule>')
    .description('delete a rule; its open alerts are resolved')
    .action(async (text: string) => {
      const { placard, out, signal } = await open();
      const id = await findAlertRule(placard, text);
      out.done(`The rule ${id} is deleted.`, await placard.alerts.deleteRule(id, { signal }));
    });
}
