import type { AlertRule, OpeningHours } from '@placard/client';
import { filterOf } from '../device-filter/filter.ts';
import type { TypedFilter } from '../device-filter/filter.ts';
import { conditionOf, firstOf } from './conditions.ts';
import type { EditedCondition } from './conditions.ts';

/** A rule as it is edited. */
export interface RuleDraft {
  name: string;
  condition: EditedCondition;
  filter: TypedFilter;
  /** When alerts are opened; null: always. */
  openingHours: readonly OpeningHours[] | null;
  /** Separated by commas. */
  recipients: string;
  later: readonly LaterMail[];
  language: AlertRule['language'];
}

/** Who gets a mail while an alert is still open. */
export interface LaterMail {
  /** As they were typed. */
  minutes: string | number;
  /** Separated by commas. */
  recipients: string;
}

export const newDraft = (language: AlertRule['language']): RuleDraft => ({
  name: '',
  condition: firstOf('offline'),
  filter: {},
  openingHours: null,
  recipients: '',
  later: [],
  language,
});

/** What of a rule is edited. */
export type RuleFields = Pick<
  AlertRule,
  'name' | 'condition' | 'filter' | 'opening_hours' | 'recipients' | 'escalations' | 'language'
>;

export const draftOf = (rule: RuleFields): RuleDraft => ({
  name: rule.name,
  condition: { ...rule.condition },
  filter: { ...rule.filter },
  openingHours: rule.opening_hours,
  recipients: rule.recipients.join(', '),
  later: rule.escalations.map((step) => ({
    minutes: step.after_minutes,
    recipients: step.recipients.join(', '),
  })),
  language: rule.language,
});

export const addressesOf = (typed: string): string[] =>
  typed.split(/[\s,;]+/).filter((address) => address !== '');

/** As the API takes it. A rule without a name has that of its condition. */
export const bodyOf = (draft: RuleDraft, words: string) => ({
  name: draft.name.trim() === '' ? words : draft.name,
  condition: conditionOf(draft.condition),
  filter: filterOf(draft.filter),
  opening_hours: draft.openingHours === null ? null : [...draft.openingHours],
  recipients: addressesOf(draft.recipients),
  escalations: draft.later.map(({ minutes, recipients }) => ({
    after_minutes: Number(minutes),
    recipients: addressesOf(recipients),
  })),
  language: draft.language,
});

/** Whether other devices are watched, or for something else, so that the open alerts of the rule end. */
export const isOtherwise = (rule: RuleFields, draft: RuleDraft): boolean =>
  !isSame(conditionOf(draft.condition), rule.condition) || !isSame(filterOf(draft.filter), rule.filter);

const isSame = (a: object, b: object): boolean => sorted(a) === sorted(b);
const sorted = (value: object): string =>
  JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
