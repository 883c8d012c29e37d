import type { AlertFilter, AlertRule } from '@placard/client';
import { conditionOf, firstOf } from './conditions.ts';
import type { EditedCondition } from './conditions.ts';

/** What a rule can say of the devices that it watches, besides their store and a tag. */
export const PLACES = ['search', 'country', 'region', 'city'] as const;

/** A rule as it is edited. */
export interface RuleDraft {
  name: string;
  condition: EditedCondition;
  /** By the name of the field; one that is empty does not matter. */
  filter: Readonly<Record<string, string>>;
  /** Separated by commas. */
  recipients: string;
  language: AlertRule['language'];
}

export const newDraft = (language: AlertRule['language']): RuleDraft => ({
  name: '',
  condition: firstOf('offline'),
  filter: {},
  recipients: '',
  language,
});

/** What of a rule is edited. */
export type RuleFields = Pick<AlertRule, 'name' | 'condition' | 'filter' | 'recipients' | 'language'>;

export const draftOf = (rule: RuleFields): RuleDraft => ({
  name: rule.name,
  condition: { ...rule.condition },
  filter: { ...rule.filter },
  recipients: rule.recipients.join(', '),
  language: rule.language,
});

export const filterOf = ({ filter }: Pick<RuleDraft, 'filter'>): AlertFilter =>
  Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()]])),
  );

export const recipientsOf = ({ recipients }: Pick<RuleDraft, 'recipients'>): string[] =>
  recipients.split(/[\s,;]+/).filter((address) => address !== '');

/** As the API takes it. A rule without a name has that of its condition. */
export const bodyOf = (draft: RuleDraft, words: string) => ({
  name: draft.name.trim() === '' ? words : draft.name,
  condition: conditionOf(draft.condition),
  filter: filterOf(draft),
  recipients: recipientsOf(draft),
  language: draft.language,
});

/** Whether other devices are watched, or for something else, so that the open alerts of the rule end. */
export const isOtherwise = (rule: RuleFields, draft: RuleDraft): boolean =>
  !isSame(conditionOf(draft.condition), rule.condition) || !isSame(filterOf(draft), rule.filter);

const isSame = (a: object, b: object): boolean => sorted(a) === sorted(b);
const sorted = (value: object): string =>
  JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
