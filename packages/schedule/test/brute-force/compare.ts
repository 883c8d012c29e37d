import { evaluateSchedules, compileSchedules } from '../../src/index.ts';
import { MANIFEST_DEVICE, makeSet } from '../rules.ts';
import { randomRule } from './random-rule.ts';
import type { RandomRule } from './random-rule.ts';
import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { readWallClock } from './wall-clock.ts';
import type { WallClock } from './wall-clock.ts';
import { slowOrder, slowRule } from './winner.ts';

/** A range of days to compare: a zone and an instant at or near one of its offset changes. */
export interface Stretch {
  zone: string;
  about: string;
}

/** Of stores: with changes around the same days, and far from the zones of the stretches. */
const LOCAL_ZONES = ['America/Los_Angeles', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
const DAYS_EACH_SIDE = 4;
const MINUTE_MS = 60_000;

/**
 * Compares the engine with a walk over every minute of a stretch, for `sets` random schedule sets.
 *
 * @returns how many results were compared, and a description of each difference, with the seed
 */
export function compareOverStretch(stretch: Stretch, seed: number, sets: number, asksPerSet: number) {
  const random = createSeededRandom(seed);
  const aboutMs = Math.floor(Date.parse(stretch.about) / MINUTE_MS) * MINUTE_MS;
  const length = DAYS_EACH_SIDE * 2 * 1440;
  const clock = readWallClock(stretch.zone, aboutMs - DAYS_EACH_SIDE * 1440 * MINUTE_MS, length);
  const localZone = random.pick(LOCAL_ZONES);
  const localClock = readWallClock(localZone, clock.fromMs, length);
  const middle = clock.days[length / 2]!;
  const differences: string[] = [];
  let compared = 0;

  for (let set = 0; set < sets; set++) {
    const rules = Array.from({ length: random.int(1, 5) }, (_, index) =>
      randomRule(random, `rule_${index}`, middle),
    );
    const hasLocalZone = random.chance(0.7);
    const local = hasLocalZone ? { zone: localZone, clock: localClock } : { zone: stretch.zone, clock };
    const winners = slowWinners(rules, { zone: stretch.zone, clock }, local);
    const compiled = compileSchedules({
      ...makeSet(stretch.zone, ...rules.map(({ rule }) => rule)),
      local_timezone: hasLocalZone ? localZone : null,
    });
    const edges: number[] = [];
    for (let index = 1; index < length; index++) {
      if (winners[index] !== winners[index - 1]) {
        edges.push(index);
      }
    }

    const asks = Array.from({ length: asksPerSet }, () => random.int(0, length - 1));
    for (const index of [...asks, ...edges, ...edges.map((edge) => edge - 1)]) {
      const atMs = clock.fromMs + index * MINUTE_MS + random.pick([0, 0, 1, 29_999, 59_999]);
      const answer = evaluateSchedules(compiled, MANIFEST_DEVICE, atMs);
      const edge = edges.find((other) => other > index);
      const untilMs = edge === undefined ? null : clock.fromMs + edge * MINUTE_MS;
      const endMs = clock.fromMs + length * MINUTE_MS;
      const untilAgrees =
        untilMs === null ? answer.until === null || answer.until >= endMs : answer.until === untilMs;
      compared++;
      if ((answer.rule?.id ?? null) !== winners[index] || !untilAgrees) {
        differences.push(
          `seed ${seed}, ${stretch.zone} (store in ${local.zone}), ${iso(atMs)}: ${answer.rule?.id ?? 'none'} until ${iso(answer.until)}, ` +
            `brute force ${winners[index] ?? 'none'} until ${iso(untilMs)}; rules ${JSON.stringify(rules.map(({ rule }) => rule))}`,
        );
      }
    }
  }
  return { compared, differences };
}

interface Clock {
  zone: string;
  clock: WallClock;
}

function slowWinners(rules: readonly RandomRule[], organization: Clock, local: Clock): (string | null)[] {
  const order = slowOrder(rules).map((each) => {
    const { zone, clock } = each.rule.local_time ? local : organization;
    return { id: each.rule.id, clock, isActive: slowRule(each, zone, Math.max(...clock.days)) };
  });
  return Array.from(
    organization.clock.days,
    (_day, index) =>
      order.find(({ clock, isActive }) => isActive(clock.days[index]!, clock.minutes[index]!))?.id ?? null,
  );
}

function iso(ms: number | null): string {
  return ms === null ? 'never' : new Date(ms).toISOString();
}
