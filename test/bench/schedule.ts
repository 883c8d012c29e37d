/**
 * Speed of the schedule engine, compared with its limits and with other libraries.
 * `npm run bench:schedule`. Times are those of the fastest round; on a busy machine trust the ratios.
 */
import { evaluateSchedules, compileSchedules } from '@placard/schedule';
import type { CompiledSchedules } from '@placard/schedule';
import { prepareRrule, prepareRruleTemporal } from './recurrence-libraries.ts';
import type { LibraryQuery } from './recurrence-libraries.ts';
import { createSeededRandom } from '../support/seeded-random.ts';
import { mixedRules, toScheduleSet } from './schedule-rules.ts';

const RULES = 1000;
const COMPILE_LIMIT_MS = 50;
const ANSWER_LIMIT_US = 20;
const PEER_RULES = 100;
const WINTER_OFFSET_MS = -5 * 3_600_000;
const FRIDAY = Date.UTC(2026, 10, 20, 12);
const DEVICE = { id: 'dev_1', store_id: null, tags: ['lobby'], base_playlist_id: null };

const print = (text = '') => process.stdout.write(`${text}\n`);
const row = (name: string, value: string, note = '') =>
  print(`  ${name.padEnd(58)} ${value.padStart(10)}  ${note}`);

function duration(us: number): string {
  if (us >= 1_000_000) {
    return `${(us / 1_000_000).toFixed(1)} s`;
  }
  return us >= 1000 ? `${(us / 1000).toFixed(1)} ms` : `${us.toFixed(us < 100 ? 2 : 0)} µs`;
}

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

function peerUs(peer: LibraryQuery, instants: readonly number[]): number {
  const round = () => {
    for (const atMs of instants) {
      peer(atMs);
    }
  };
  return (fastestMs(2, round) / instants.length) * 1000 * (RULES / PEER_RULES);
}

const random = createSeededRandom(99);
const randomInstants = Array.from(
  { length: 5000 },
  () => Date.UTC(2026, 0, 1) + random.int(0, 9 * 365 * 1440) * 60_000,
);
const minutes = Array.from({ length: 5000 }, (_, index) => FRIDAY + index * 60_000);
const sparseInstants = Array.from({ length: 3 }, (_, index) => FRIDAY + index * 7_919 * 60_000);

const mixed = mixedRules(RULES, 2020, 240);
const set = toScheduleSet(mixed);

print(`Schedule engine, ${RULES} mixed rules, one device`);
const coldStarted = performance.now();
compileSchedules(set);
const coldMs = performance.now() - coldStarted;
const compileMs = fastestMs(15, () => compileSchedules(set));
row(
  'first compile',
  `${coldMs.toFixed(1)} ms`,
  `${(coldMs / COMPILE_LIMIT_MS).toFixed(2)} x the limit of ${COMPILE_LIMIT_MS} ms`,
);
row('compile', `${compileMs.toFixed(1)} ms`, `${(compileMs / COMPILE_LIMIT_MS).toFixed(2)} x the limit`);

const compiled = compileSchedules(set);
const oursUs = answerUs(compiled, randomInstants);
const limit = (value: number) =>
  `${(value / ANSWER_LIMIT_US).toFixed(2)} x the limit of ${ANSWER_LIMIT_US} µs`;
row('activeAt, any minute of nine years', duration(oursUs), limit(oursUs));
const minuteUs = answerUs(compiled, minutes);
row('activeAt, minute after minute', duration(minuteUs), limit(minuteUs));
const idle = compileSchedules(toScheduleSet(mixedRules(RULES, 2020, 1)));
const idleUs = answerUs(idle, minutes);
row('activeAt, minute after minute, hardly a rule active', duration(idleUs), limit(idleUs));
row(
  '  the same, any minute of nine years',
  duration(answerUs(idle, randomInstants)),
  'every rule evaluated on a new day',
);
const leapDays = mixed.map((each) => ({
  ...each,
  rule: { ...each.rule, days: null, rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29' },
}));
const rare = compileSchedules({ ...toScheduleSet(leapDays), timezone: 'UTC' });
const rareFirstUs = fastestMs(1, () => void evaluateSchedules(rare, DEVICE, FRIDAY)) * 1000;
const rareUs = answerUs(rare, minutes);
row(
  'activeAt, minute after minute, all on 29 February, in UTC',
  duration(rareUs),
  `${limit(rareUs)}; first evaluation ${duration(rareFirstUs)}: a year ahead, cached until it ends`,
);
row(
  'activeAt with all reasons read',
  duration(answerUs(compiled, minutes.slice(0, 100), 'candidates')),
  `${RULES} candidates with a sentence each`,
);

print();
print(`The same question put to others (${PEER_RULES} rules asked, times ${RULES / PEER_RULES})`);
const some = mixed.slice(0, PEER_RULES);
const against = (value: number) => `${(value / oursUs).toFixed(0)} x ours`;
const bareUs = peerUs(
  prepareRrule(some, ({ rule }) => rule.starts_on!, WINTER_OFFSET_MS),
  sparseInstants,
);
row('rrule 2.8.1 as local time, from each DTSTART (2020)', duration(bareUs), against(bareUs));
const nearUs = peerUs(
  prepareRrule(some, () => '2026-11-01', WINTER_OFFSET_MS),
  sparseInstants,
);
row(
  'rrule 2.8.1 as local time, from a DTSTART three weeks ago',
  duration(nearUs),
  `${against(nearUs)} (no longer right for INTERVAL and COUNT)`,
);
const temporalUs = peerUs(prepareRruleTemporal(some), sparseInstants);
row('rrule-temporal 2.2.7', duration(temporalUs), against(temporalUs));

print();
print('By the age of DTSTART');
for (const year of [2026, 2020, 2000, 1970]) {
  const rules = mixedRules(RULES, year, 240);
  const aged = compileSchedules(toScheduleSet(rules));
  const firstUs = fastestMs(1, () => void evaluateSchedules(aged, DEVICE, FRIDAY)) * 1000;
  const agedUs = answerUs(aged, randomInstants);
  const bare = peerUs(
    prepareRrule(rules.slice(0, PEER_RULES), ({ rule }) => rule.starts_on!, WINTER_OFFSET_MS),
    sparseInstants.slice(0, 1),
  );
  row(`${year}: activeAt`, duration(agedUs), `first ask ${duration(firstUs)}; bare rrule ${duration(bare)}`);
}
