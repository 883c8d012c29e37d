import { operations } from '@placard/protocol/api';
import type { Rule } from '@placard/protocol/api';
import * as fc from 'fast-check';
import { assert } from '../support/contract-violation.ts';
import {
  optional,
  nameValidity,
  ref,
  resolveRef,
  bodyCorruption,
  targetInput,
  text,
  worstValidity,
} from './inputs.ts';
import type { Ref, Validity } from './inputs.ts';
import { attempt, resolveTargets, step } from './world.ts';
import type { World } from './world.ts';

const DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
const GOOD_RRULES = [
  'FREQ=WEEKLY;BYDAY=TU',
  'FREQ=MONTHLY;BYDAY=-1FR',
  'FREQ=DAILY;INTERVAL=3',
  'FREQ=YEARLY;BYMONTHDAY=13',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
];
const BAD_RRULES = [
  'FREQ=HOURLY',
  'FREQ=DAILY;BYHOUR=9',
  'every second Tuesday',
  'FREQ=WEEKLY;BYDAY=XX',
  'FREQ=',
];

const times = fc.oneof(
  { weight: 60, arbitrary: fc.constantFrom('00:00', '06:30', '12:00', '22:15', '23:59') },
  { weight: 1, arbitrary: fc.constantFrom('24:00', '7:00', '25:00', '12:60', '') },
);
const timeValidity = (time: string, isEnd: boolean): Validity =>
  /^(([01]\d|2[0-3]):[0-5]\d)$/.test(time) || (isEnd && time === '24:00') ? 'valid' : 'invalid';

const ruleInput = fc.record({
  ref: ref('playlists'),
  start_time: times,
  end_time: times,
  when: fc.oneof(
    {
      weight: 50,
      arbitrary: fc.record({
        days: fc.uniqueArray(fc.constantFrom(...DAYS), { minLength: 1, maxLength: 7 }),
      }),
    },
    { weight: 30, arbitrary: fc.record({ rrule: fc.constantFrom(...GOOD_RRULES) }) },
    { weight: 3, arbitrary: fc.record({ rrule: fc.constantFrom(...BAD_RRULES) }) },
    { weight: 1, arbitrary: fc.constant({ days: [] }) },
    { weight: 1, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constant({ days: ['MON'], rrule: 'FREQ=DAILY' }) },
  ),
  priority: optional(
    fc.oneof(
      { weight: 30, arbitrary: fc.integer({ min: 0, max: 1000 }) },
      { weight: 1, arbitrary: fc.constantFrom(-1, 1001, 0.5) },
    ),
  ),
  starts_on: optional(fc.constantFrom('2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04', '2026-02-30')),
  ends_on: optional(fc.constantFrom('2027-01-31', '2027-02-28', '2027-03-31', '2028-02-29', '2026-10-01')),
  end_day_offset: optional(
    fc.oneof(
      { weight: 30, arbitrary: fc.integer({ min: 0, max: 6 }) },
      { weight: 1, arbitrary: fc.constantFrom(-1, 7, 0.5) },
    ),
  ),
  except_dates: optional(
    fc.oneof(
      {
        weight: 30,
        arbitrary: fc.uniqueArray(fc.constantFrom('2026-12-24', '2026-12-25', '2027-01-01'), {
          maxLength: 3,
        }),
      },
      { weight: 1, arbitrary: fc.constant(['2026-02-30']) },
    ),
  ),
  local_time: optional(fc.boolean()),
});
interface RuleInput {
  ref: Ref;
  start_time: string;
  end_time: string;
  when: { days?: readonly string[]; rrule?: string };
  priority: number | undefined;
  starts_on: string | undefined;
  ends_on: string | undefined;
  end_day_offset: number | undefined;
  except_dates: readonly string[] | undefined;
  local_time: boolean | undefined;
}

function ruleValidity(rule: RuleInput): Validity {
  const { days, rrule } = rule.when;
  const when = (days?.length ?? 0) > 0 ? rrule === undefined : days === undefined && rrule !== undefined;
  const dates =
    rule.starts_on !== '2026-02-30' &&
    !(rule.starts_on !== undefined && rule.ends_on !== undefined && rule.ends_on < rule.starts_on);
  const priority =
    rule.priority === undefined ||
    (Number.isInteger(rule.priority) && rule.priority >= 0 && rule.priority <= 1000);
  const { end_day_offset: offset = 0, except_dates: exceptDates = [] } = rule;
  const span = Number.isInteger(offset) && offset >= 0 && offset <= 6 && !exceptDates.includes('2026-02-30');
  return worstValidity(
    timeValidity(rule.start_time, false),
    timeValidity(rule.end_time, true),
    when && dates && priority && span && !BAD_RRULES.includes(rrule ?? '') ? 'valid' : 'invalid',
  );
}

function resolveRules(world: World, inputs: readonly RuleInput[]) {
  let missing = false;
  const rules = inputs.map(({ ref, when, ...rest }) => {
    const { id, live } = resolveRef(world.model, ref);
    missing ||= !live;
    return { playlist_id: id, ...rest, ...when };
  });
  return { rules, missing, verdict: worstValidity(...inputs.map(ruleValidity)) };
}

/** Stores the rules of a response in the model after comparing them with the request. */
function checkRules(made: { rules: Rule[] }, sent: ReturnType<typeof resolveRules>['rules']): Rule[] {
  assert(made.rules.length === sent.length, 'the response has a different number of rules', { made, sent });
  for (const [index, rule] of made.rules.entries()) {
    const wanted = sent[index]!;
    const same =
      rule.playlist_id === wanted.playlist_id &&
      rule.start_time === wanted.start_time &&
      rule.end_time === wanted.end_time &&
      rule.priority === (wanted.priority ?? 0) &&
      rule.starts_on === (wanted.starts_on ?? null) &&
      rule.ends_on === (wanted.ends_on ?? null) &&
      rule.end_day_offset === (wanted.end_day_offset ?? 0) &&
      rule.except_dates.join() === (wanted.except_dates ?? []).join() &&
      rule.local_time === (wanted.local_time ?? false) &&
      [...(rule.days ?? [])].toSorted().join() === [...(wanted.days ?? [])].toSorted().join() &&
      (rule.rrule ?? '') === (wanted.rrule ?? '');
    assert(same, 'a rule differs from the request', { rule, wanted });
  }
  return made.rules;
}

const rules = fc.array(ruleInput, { maxLength: 3 });
const targets = fc.array(targetInput(), { maxLength: 3 });

export const scheduleSteps = [
  step({
    name: 'createSchedule',
    input: fc.record({
      name: text(),
      is_active: optional(fc.boolean()),
      rules,
      targets,
      corruption: bodyCorruption(),
    }),
    async run(world, input) {
      const { rules, missing, verdict } = resolveRules(world, input.rules);
      const { targets, bad } = resolveTargets(world, input.targets);
      const made = await attempt(world, operations.createSchedule, {
        body: { name: input.name, is_active: input.is_active, rules, targets },
        corruption: input.corruption,
        validity: worstValidity(verdict, nameValidity(input.name)),
        expectedErrors: [missing && 'PLAYLIST_NOT_FOUND', ...bad],
      });
      if (!made) {
        return;
      }
      world.model.schedules.set(made.id, {
        name: input.name.trim(),
        active: input.is_active ?? true,
        rules: checkRules(made, rules),
        targets,
      });
    },
  }),
  step({
    name: 'updateSchedule',
    input: fc.record({
      ref: ref('schedules'),
      name: optional(text()),
      is_active: optional(fc.boolean()),
      rules: optional(rules),
      targets: optional(targets),
      corruption: bodyCorruption(),
    }),
    async run(world, input) {
      const { id, live } = resolveRef(world.model, input.ref);
      const next = input.rules ? resolveRules(world, input.rules) : null;
      const targetChange = input.targets ? resolveTargets(world, input.targets) : null;
      const changed = await attempt(world, operations.updateSchedule, {
        params: { id },
        body: {
          name: input.name,
          is_active: input.is_active,
          rules: next?.rules,
          targets: targetChange?.targets,
        },
        corruption: input.corruption,
        validity: worstValidity(next?.verdict, input.name === undefined ? 'valid' : nameValidity(input.name)),
        expectedErrors: [
          !live && 'SCHEDULE_NOT_FOUND',
          next?.missing === true && 'PLAYLIST_NOT_FOUND',
          ...(targetChange?.bad ?? []),
        ],
      });
      const modelEntry = world.model.schedules.get(id);
      if (!changed || !modelEntry) {
        return;
      }
      if (input.name !== undefined) {
        modelEntry.name = input.name.trim();
      }
      if (input.is_active !== undefined) {
        modelEntry.active = input.is_active;
      }
      if (next) {
        modelEntry.rules = checkRules(changed, next.rules);
      }
      if (targetChange) {
        modelEntry.targets = targetChange.targets;
      }
    },
  }),
  step({
    name: 'switchSchedule',
    input: fc.record({ ref: ref('schedules'), on: fc.boolean() }),
    async run(world, { ref, on }) {
      const { id, live } = resolveRef(world.model, ref);
      const changed = await attempt(world, on ? operations.activateSchedule : operations.deactivateSchedule, {
        params: { id },
        expectedErrors: [!live && 'SCHEDULE_NOT_FOUND'],
      });
      const modelEntry = world.model.schedules.get(id);
      if (!changed || !modelEntry) {
        return;
      }
      assert(changed.is_active === on, 'is_active did not change', changed);
      modelEntry.active = on;
    },
  }),
  step({
    name: 'sendScheduleBack',
    input: ref('schedules'),
    async run(world, input: Ref) {
      const { id, live } = resolveRef(world.model, input);
      if (!live) {
        return;
      }
      const { name, is_active, rules, targets } = await world.api.expectSuccess(operations.getSchedule, {
        params: { id },
      });
      // A client may write back what it has read, even if referenced resources were deleted meanwhile.
      const updated = await attempt(world, operations.updateSchedule, {
        params: { id },
        body: { name, is_active, rules, targets },
      });
      assert(
        JSON.stringify(updated?.rules) === JSON.stringify(rules),
        'writing a schedule back as it was read changed its rules',
        { rules, updated },
      );
    },
  }),
  step({
    name: 'deleteSchedule',
    input: ref('schedules'),
    async run(world, input: Ref) {
      const { id, live } = resolveRef(world.model, input);
      const deleted = await attempt(world, operations.deleteSchedule, {
        params: { id },
        expectedErrors: [!live && 'SCHEDULE_NOT_FOUND'],
      });
      if (!deleted) {
        return;
      }
      world.model.schedules.delete(id);
      world.model.deletedIds.push(id);
    },
  }),
];
