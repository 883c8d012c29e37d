import { expect, test } from 'vitest';
import { evaluateSchedules, checkRule, compileSchedules } from '../src/index.ts';
import { MANIFEST_DEVICE, makeRule } from './rules.ts';
import { makeWorstSet, WORST_INSTANTS, WORST_RULES } from './worst-rules.ts';

/**
 * The limits only tell bounded work from work that grows without bound: they are ten times what is wanted, which
 * `npm run bench:schedule` measures.
 */
const EVALUATE_LIMIT_MS = 1_000;
const CHECK_LIMIT_MS = 50;

test.each(Object.entries(WORST_RULES))('the evaluation of 500 rules is bounded: %s', (_name, rrule) => {
  const compiled = compileSchedules(makeWorstSet(rrule));
  for (const atMs of WORST_INSTANTS) {
    expect(
      busyMs(() => evaluateSchedules(compiled, MANIFEST_DEVICE, atMs)),
      new Date(atMs).toISOString(),
    ).toBeLessThan(EVALUATE_LIMIT_MS);
  }
});

test.each(Object.entries(WORST_RULES))(
  'the search for the first occurrence of a rule is bounded: %s',
  (_name, rrule) => {
    const rule = (index: number) => makeRule({ rrule: rrule(index), starts_on: '1970-01-06' });
    checkRule(rule(0));
    const spent = Array.from({ length: 9 }, (_, index) => busyMs(() => checkRule(rule(index))));
    expect(spent.toSorted((a, b) => a - b)[4]).toBeLessThan(CHECK_LIMIT_MS);
  },
);

/** CPU milliseconds of this thread, so that other processes do not matter. */
function busyMs(act: () => unknown): number {
  const before = process.threadCpuUsage();
  act();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
