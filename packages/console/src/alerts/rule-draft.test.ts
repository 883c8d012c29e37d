import { expect, test } from 'vitest';
import { CONDITION_TYPES, conditionOf, firstOf } from './conditions.ts';
import { bodyOf, draftOf, isOtherwise, newDraft } from './rule-draft.ts';
import type { RuleFields } from './rule-draft.ts';

const RULE: RuleFields = {
  name: 'Full disks',
  condition: { type: 'fault', code: 'disk.full', minutes: 5 },
  filter: { tag: 'window', store_id: 'store_1' },
  opening_hours: [{ days: ['MON', 'SUN'], start_time: '22:00', end_time: '04:00' }],
  recipients: ['a@example.com', 'b@example.com'],
  escalations: [{ after_minutes: 60, recipients: ['c@example.com', 'd@example.com'] }],
  language: 'de',
};

test('a rule that is not changed is saved as it is', () => {
  expect(bodyOf(draftOf(RULE), 'words')).toEqual(RULE);
  expect(isOtherwise(RULE, draftOf(RULE))).toBe(false);
});

test('what is typed becomes numbers, lists and nothing', () => {
  const draft = {
    ...newDraft('en'),
    condition: { type: 'fault', code: ' ', minutes: '15' },
    filter: { tag: ' window ', city: '', search: '  ' },
    recipients: ' a@example.com;b@example.com,\nc@example.com, ',
    later: [{ minutes: '90', recipients: 'd@example.com e@example.com' }],
  };
  expect(bodyOf(draft, 'Any fault')).toEqual({
    name: 'Any fault',
    condition: { type: 'fault', code: null, minutes: 15 },
    filter: { tag: 'window' },
    opening_hours: null,
    recipients: ['a@example.com', 'b@example.com', 'c@example.com'],
    escalations: [{ after_minutes: 90, recipients: ['d@example.com', 'e@example.com'] }],
    language: 'en',
  });
});

test('open alerts end with another condition or filter, not with another name', () => {
  const draft = draftOf(RULE);
  expect(isOtherwise(RULE, { ...draft, name: 'Other', recipients: '', openingHours: null, later: [] })).toBe(
    false,
  );
  expect(isOtherwise(RULE, { ...draft, condition: { ...draft.condition, minutes: '5' } })).toBe(false);
  expect(isOtherwise(RULE, { ...draft, filter: { store_id: 'store_1', tag: 'window' } })).toBe(false);
  expect(isOtherwise(RULE, { ...draft, condition: { ...draft.condition, minutes: '6' } })).toBe(true);
  expect(isOtherwise(RULE, { ...draft, filter: { tag: 'window' } })).toBe(true);
});

test('a condition that is not known is kept as it is', () => {
  expect(conditionOf({ type: 'sunspots', count: '7', where: null })).toEqual({
    type: 'sunspots',
    count: '7',
    where: null,
  });
});

test('each condition begins with values for all of its fields', () => {
  for (const type of CONDITION_TYPES) {
    expect(conditionOf(firstOf(type)), type).toEqual(firstOf(type));
  }
});
