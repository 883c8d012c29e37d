import type { ManifestRule } from '@placard/protocol';
import type { Rule } from '@placard/protocol/api';
import { moveExdates } from '@placard/schedule';

/** Where the API has the days without a window. */
export type WrittenExceptions = Pick<Rule, 'rrule' | 'except_dates'>;

/** Those of the rules whose `rrule` has EXDATE lines. */
export const exceptionsAsWritten = (rules: readonly Rule[]): ReadonlyMap<string, WrittenExceptions> =>
  new Map(
    rules.flatMap(({ id, rrule, except_dates }) =>
      toManifestRrule(rrule, except_dates).rrule === rrule ? [] : [[id, { rrule, except_dates }]],
    ),
  );

const toManifestRrule = (rrule: string | null, exceptDates: readonly string[]) =>
  rrule === null ? { rrule, except_dates: exceptDates } : moveExdates(rrule, exceptDates);

/**
 * The rule as players get it. A player of an older version reports each field that it does not know, and a rule whose
 * `rrule` it cannot read is never active: fields that change nothing are left out, and EXDATE lines become `except_dates`.
 */
export function toManifestRule({
  end_day_offset,
  except_dates,
  local_time,
  rrule,
  ...others
}: Rule): Omit<ManifestRule, 'created_at' | 'updated_at'> {
  const moved = toManifestRrule(rrule, except_dates);
  return {
    ...others,
    rrule: moved.rrule,
    ...(end_day_offset > 0 ? { end_day_offset } : {}),
    ...(moved.except_dates.length > 0 ? { except_dates: [...moved.except_dates] } : {}),
    ...(local_time ? { local_time } : {}),
  };
}
