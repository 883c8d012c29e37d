/**
 * Speed of the schedule engine, beside other libraries. `npm run bench:schedule`. Times are those of the fastest round,
 * because nothing here waits; on a busy machine trust the ratios.
 */
import { compileSchedules, evaluateSchedules, listSegments } from '@placard/schedule';
import type { CompiledSchedules } from '@placard/schedule';
import { prepareRrule, prepareRruleTemporal } from './recurrence-libraries.ts';
import type { LibraryQuery } from './recurrence-libraries.ts';
import { createSeededRandom } from '../support/seeded-random.ts';
import type { Figure } from './figures.ts';
import { MANIFEST_DEVICE } from '../../packages/schedule/test/rules.ts';
import { makeWorstSet, WORST_INSTANTS, WORST_RULES } from '../../packages/schedule/test/worst-rules.ts';
import { mixedRules, toScheduleSet } from './schedule-rules.ts';
import type { BenchRule } from './schedule-rules.ts';
import type { Settings } from './settings.ts';

const RULES = 1000;
const COMPILE_LIMIT_MS = 50;
const ANSWER_LIMIT_US = 20;
const TIMELINE_LIMIT_MS = 20;
const TIMELINE_MS = 31 * 86_400_000;
const WORST_LIMIT_MS = 100;
const PEER_RULES = 100;
const WINTER_OFFSET_MS = -5 * 3_600_000;
const FRIDAY = Date.UTC(2026, 10, 20, 12);
const DEVICE = { id: 'dev_1', store_id: null, tags: ['lobby'], base_playlist_id: null };

/** The fastest of some rounds: the time without interference by other processes. */
function fastestMs(rounds: number, run: () => void): number {
  let fastest = Infinity;
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    run();
    fastest = Math.min(fastest, performance.now() - started);
  }
  return fastest;
}

/** Microseconds per evaluation, over all the instants. */
function answerUs(compiled: CompiledSchedules, instants: readonly number[], read?: 'candidates'): number {
  const round = () => {
    for (const atMs of instants) {
      const answer = evaluateSchedules(compiled, DEVICE, atMs);
      if (read === 'candidates' && answer.candidates.length !== RULES) {
        throw new Error('candidates are missing');
      }
    }
  };
  round();
  return (fastestMs(9, round) / instants.length) * 1000;
}

function peerUs(peer: LibraryQuery, instants: readonly number[], rounds = 2): number {
  const round = () => {
    for (const atMs of instants) {
      peer(atMs);
    }
  };
  return (fastestMs(rounds, round) / instants.length) * 1000 * (RULES / PEER_RULES);
}

/** Questions to the other libraries are few, because one takes milliseconds. */
const sparseInstants = Array.from({ length: 3 }, (_, index) => FRIDAY + index * 7_919 * 60_000);

/** A figure with a limit of its own. */
const within = (name: string, ours: number, unit: string, goal: number, detail?: string): Figure => ({
  name,
  ours,
  unit,
  limit: null,
  goal,
  ...(detail !== undefined && { detail }),
});

export async function measureSchedule({ isQuick }: Settings): Promise<Figure[]> {
  const questions = isQuick ? 50 : 5_000;
  const random = createSeededRandom(99);
  const randomInstants = Array.from(
    { length: questions },
    () => Date.UTC(2026, 0, 1) + random.int(0, 9 * 365 * 1440) * 60_000,
  );
  const minutes = Array.from({ length: questions }, (_, index) => FRIDAY + index * 60_000);
  const mixed = mixedRules(RULES, 2020, 240);
  const set = toScheduleSet(mixed);
  const coldMs = fastestMs(1, () => compileSchedules(set));
  const compileMs = fastestMs(15, () => compileSchedules(set));
  const compiled = compileSchedules(set);
  const randomUs = answerUs(compiled, randomInstants);
  const minuteUs = answerUs(compiled, minutes);
  /** The number of segments. */
  const timeline = () =>
    [...listSegments(compileSchedules(set), DEVICE, FRIDAY, FRIDAY + TIMELINE_MS)].length;
  const idle = compileSchedules(toScheduleSet(mixedRules(RULES, 2020, 1)));
  const leapDays = mixed.map((each) => ({
    ...each,
    rule: { ...each.rule, days: null, rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29' },
  }));
  const rare = compileSchedules({ ...toScheduleSet(leapDays), timezone: 'UTC' });
  const rareFirstMs = fastestMs(1, () => void evaluateSchedules(rare, DEVICE, FRIDAY));
  return [
    within(`schedules of ${RULES} rules, first compilation`, coldMs, 'ms', COMPILE_LIMIT_MS),
    within('… compilation', compileMs, 'ms', COMPILE_LIMIT_MS),
    within('… what is active, any minute of nine years', randomUs, 'µs', ANSWER_LIMIT_US),
    within('… minute after minute', minuteUs, 'µs', ANSWER_LIMIT_US),
    within(
      '… a timeline of 31 days',
      fastestMs(isQuick ? 1 : 9, () => void timeline()),
      'ms',
      TIMELINE_LIMIT_MS,
      `${timeline().toLocaleString('en')} segments; compilation included`,
    ),
    within('… hardly a rule active', answerUs(idle, minutes), 'µs', ANSWER_LIMIT_US),
    {
      ...within('… the same, any minute of nine years', answerUs(idle, randomInstants), 'µs', 0),
      goal: null,
      detail: 'every rule is evaluated on a new day',
    },
    within(
      '… all on 29 February',
      answerUs(rare, minutes),
      'µs',
      ANSWER_LIMIT_US,
      `the first time ${rareFirstMs.toFixed(1)} ms, a year ahead`,
    ),
    {
      ...within('… with the reasons', answerUs(compiled, minutes.slice(0, 100), 'candidates'), 'µs', 0),
      goal: null,
      detail: `a sentence for each of ${RULES}`,
    },
    ...measureWorstRules(isQuick ? 1 : 5),
    ...comparePeers(mixed, randomUs, isQuick ? { asks: 1, rounds: 1 } : { asks: 3, rounds: 2 }),
    ...(isQuick ? [] : compareAges(randomInstants)),
  ];
}

/** The slowest rules that the API accepts: compiled, then evaluated at instants for which nothing is known yet. */
function measureWorstRules(rounds: number): Figure[] {
  return Object.entries(WORST_RULES).map(([name, rrule]) => {
    const worst = makeWorstSet(rrule);
    const slowestMs = WORST_INSTANTS.map((atMs) =>
      fastestMs(rounds, () => void evaluateSchedules(compileSchedules(worst), MANIFEST_DEVICE, atMs)),
    );
    return within(`500 rules: ${name}`, Math.max(...slowestMs), 'ms', WORST_LIMIT_MS);
  });
}

/** The same question put to other libraries. */
function comparePeers(
  mixed: readonly BenchRule[],
  oursUs: number,
  { asks, rounds }: { asks: number; rounds: number },
): Figure[] {
  const some = mixed.slice(0, PEER_RULES);
  const peers = {
    'rrule, from each DTSTART': prepareRrule(some, ({ rule }) => rule.starts_on!, WINTER_OFFSET_MS),
    // No longer right for INTERVAL and COUNT.
    'rrule, from three weeks ago': prepareRrule(some, () => '2026-11-01', WINTER_OFFSET_MS),
    'rrule-temporal': prepareRruleTemporal(some),
  };
  return Object.entries(peers).map(([name, peer]) => ({
    name: '… beside another library',
    ours: oursUs,
    unit: 'µs',
    limit: { name, value: peerUs(peer, sparseInstants.slice(0, asks), rounds) },
    goal: 1,
  }));
}

/** A library that walks from DTSTART gets slower every year. */
function compareAges(instants: readonly number[]): Figure[] {
  return [2026, 2020, 2000, 1970].map((year) => {
    const rules = mixedRules(RULES, year, 240);
    const compiled = compileSchedules(toScheduleSet(rules));
    const firstMs = fastestMs(1, () => void evaluateSchedules(compiled, DEVICE, FRIDAY));
    const peer = prepareRrule(rules.slice(0, PEER_RULES), ({ rule }) => rule.starts_on!, WINTER_OFFSET_MS);
    return {
      name: `… rules since ${year}`,
      ours: answerUs(compiled, instants),
      unit: 'µs',
      limit: { name: 'rrule', value: peerUs(peer, sparseInstants.slice(0, 1)) },
      goal: 1,
      detail: `the first time ${firstMs.toFixed(1)} ms`,
    };
  });
}
