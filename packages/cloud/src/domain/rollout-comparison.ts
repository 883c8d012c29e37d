import type { RolloutCause } from '@placard/protocol/api';
import { chanceOfAtLeast, chanceOfSum, ranksOf, sumOf } from './chance.ts';
import type { ScoredKind } from './chance.ts';
import { kindFields, RARE_KINDS } from './rollout-kind.ts';
import { MEASURES_OF_ROLLOUT } from './rollout-measures.ts';
import type { BeforeAndAfter, MeasureOfRollout } from './rollout-measures.ts';

/** A device that is compared: told in this ring, or not told yet and online when the ring began. */
export interface ComparedDevice {
  kind: string;
  isTold: boolean;
  /** Not heard of for longer than `SILENT_AFTER_MS`. */
  isSilent: boolean;
  /** Null for a told device that does not run the version, and for one that has not reported. */
  health: BeforeAndAfter | null;
}

/** Why a rollout stops. */
export interface Regression {
  cause: Extract<RolloutCause, { type: 'worse' | 'not_coming_back' | 'broken_update' }>;
  /** Bound of the chance that it is none. */
  chance: number;
}

export const SILENT_AFTER_MS = 60 * 60_000;

/**
 * The chance that a rollout is stopped for nothing that all comparisons may have together: each measure at each look of so many rings, once
 * for all devices and once for the kinds.
 */
const FALSE_STOPS = 0.001;
const RINGS = 3;
const COMPARISONS_OF_LOOK = MEASURES_OF_ROLLOUT.length * 2;
/** Whoever was silent at one look is at the next as well: one comparison for each ring, in the end. */
const CHANCE_OF_SILENT = 1e-5;
const CHANCE_OF_FAILURES = 2e-4;
/** Updates that fail, or are rolled back, where nothing is wrong with the version. */
const TOLERATED_FAILURES = 0.01;
/** Only what is worse by half is a regression. */
const MIN_RATIO = 1.5;
const MIN_UPDATED = 2;
/** With fewer devices whose turn has not come, a kind is not compared by itself. */
export const MIN_OTHERS = 10;
const MIN_SILENT = 2;
/** Less is no regression, however much more it is than before. */
const MIN_EVENTS = 3;
const MIN_MORE_SILENT = 0.1;

/** Devices of kinds of which there are too few are one kind. */
export function groupByKind(
  devices: readonly ComparedDevice[],
): ReadonlyMap<string, readonly ComparedDevice[]> {
  const others = new Map<string, number>();
  for (const { kind, isTold } of devices) {
    others.set(kind, (others.get(kind) ?? 0) + (isTold ? 0 : 1));
  }
  return Map.groupBy(devices, ({ kind }) => ((others.get(kind) ?? 0) < MIN_OTHERS ? RARE_KINDS : kind));
}

/** How many updated devices are compared, by the measure that most of them have reported enough of. */
export function countCompared(devices: readonly ComparedDevice[]): number {
  const kinds = [...groupByKind(devices)];
  return Math.max(
    ...MEASURES_OF_ROLLOUT.map((measure) =>
      sumOf(kinds.map(([kind, own]) => measureKind(measure, kind, own)?.updated.length ?? 0)),
    ),
  );
}

/**
 * What is worse after the update; null when nothing is. The worst first found: lost devices, then all, then kinds.
 *
 * @param looks that a ring has in all: the more often something is looked for, the more often it is there by chance
 */
export function findRegression(devices: readonly ComparedDevice[], looks: number): Regression | null {
  const byKind = groupByKind(devices);
  const allowed = FALSE_STOPS / (RINGS * looks * COMPARISONS_OF_LOOK);
  return (
    findSilent([...byKind.values()], null) ??
    [...byKind].reduce<Regression | null>((found, [kind, own]) => found ?? findSilent([own], kind), null) ??
    MEASURES_OF_ROLLOUT.reduce<Regression | null>(
      (found, measure) => found ?? findWorse(measure, byKind, allowed),
      null,
    )
  );
}

/**
 * Devices of a kind that were told no later than the last one on which the version is broken, and have received it. Those that have not
 * answered yet are among them: a failure is known within minutes, that a device is well only later.
 */
export interface TriedKind {
  kind: string;
  tried: number;
  /** The version did not become healthy, or could not be installed, on so many. */
  broken: number;
}

/** Too many devices on which the version did not become healthy, of all or of one kind. They have nothing to be compared with. */
export function findBroken(kinds: readonly TriedKind[]): Regression | null {
  const all = {
    kind: null,
    tried: sumOf(kinds.map(({ tried }) => tried)),
    broken: sumOf(kinds.map(({ broken }) => broken)),
  };
  for (const { kind, tried, broken } of [all, ...kinds]) {
    const chance = broken < MIN_UPDATED ? 1 : chanceOfAtLeast(broken, tried, TOLERATED_FAILURES);
    if (chance <= CHANCE_OF_FAILURES / (kind === null ? 1 : kinds.length)) {
      return { cause: { type: 'broken_update', ...kindFields(kind), answered: tried, broken }, chance };
    }
  }
  return null;
}

function findSilent(kinds: readonly (readonly ComparedDevice[])[], kind: string | null): Regression | null {
  const score = ({ isSilent }: ComparedDevice) => Number(isSilent);
  const chance = chanceOfSum(
    kinds.map((devices) => ({
      all: devices.map(score),
      updated: devices.filter(({ isTold }) => isTold).map(score),
    })),
  );
  const all = kinds.flat();
  const told = all.filter(({ isTold }) => isTold);
  const others = all.filter(({ isTold }) => !isTold);
  const silent = (some: readonly ComparedDevice[]) => some.filter(({ isSilent }) => isSilent).length;
  const isWorse =
    others.length >= MIN_OTHERS &&
    silent(told) >= MIN_SILENT &&
    silent(told) / told.length >= silent(others) / others.length + MIN_MORE_SILENT;
  return isWorse && chance <= CHANCE_OF_SILENT
    ? {
        cause: {
          type: 'not_coming_back',
          ...kindFields(kind),
          told: told.length,
          silent: silent(told),
          others: others.length,
          others_silent: silent(others),
        },
        chance,
      }
    : null;
}

/** A kind with what is compared of its devices. */
export interface MeasuredKind {
  kind: string;
  scored: ScoredKind;
  updated: BeforeAndAfter[];
  others: BeforeAndAfter[];
}

function findWorse(
  measure: MeasureOfRollout,
  byKind: ReadonlyMap<string, readonly ComparedDevice[]>,
  allowed: number,
): Regression | null {
  const kinds = [...byKind].flatMap(([kind, devices]) => measureKind(measure, kind, devices) ?? []);
  return (
    judge(measure, kinds, null, allowed) ??
    (kinds.length < 2
      ? null
      : kinds.reduce<Regression | null>(
          (found, each) => found ?? judge(measure, [each], each.kind, allowed / kinds.length),
          null,
        ))
  );
}

/** Null for a kind of which too few have reported. */
export function measureKind(
  { changesOf }: MeasureOfRollout,
  kind: string,
  devices: readonly ComparedDevice[],
): MeasuredKind | null {
  const reporting = devices.flatMap(({ isTold, health }) => (health ? [{ isTold, health }] : []));
  const changes = changesOf(reporting.map(({ health }) => health));
  const compared = reporting.flatMap((device, index) => {
    const change = changes[index];
    return change === null || change === undefined ? [] : [{ ...device, change }];
  });
  const ranks = ranksOf(compared.map(({ change }) => change));
  const updated = compared.filter(({ isTold }) => isTold);
  const others = compared.filter(({ isTold }) => !isTold);
  if (updated.length === 0 || others.length < MIN_OTHERS) {
    return null;
  }
  return {
    kind,
    scored: { all: ranks, updated: ranks.filter((_rank, index) => compared[index]?.isTold) },
    updated: updated.map(({ health }) => health),
    others: others.map(({ health }) => health),
  };
}

/** What devices had together, before and after. */
export const valuesOf = ({ valueOf }: MeasureOfRollout, devices: readonly BeforeAndAfter[]) => ({
  before: valueOf(devices.map(({ before }) => before)) ?? 0,
  after: valueOf(devices.map(({ after }) => after)) ?? 0,
});

function judge(
  measure: MeasureOfRollout,
  kinds: readonly MeasuredKind[],
  kind: string | null,
  allowed: number,
): Regression | null {
  const updated = kinds.flatMap((each) => each.updated);
  const others = kinds.flatMap((each) => each.others);
  const chance = updated.length < MIN_UPDATED ? 1 : chanceOfSum(kinds.map(({ scored }) => scored));
  if (chance > allowed) {
    return null;
  }
  const own = valuesOf(measure, updated);
  const other = valuesOf(measure, others);
  // What has become of the others is to be expected of the updated ones as well.
  const expected = own.before * (other.before > 0 ? other.after / other.before : 1);
  const isMore = own.after > 0 && own.after >= MIN_RATIO * expected;
  return isMore && sumOf(updated.map(({ after }) => measure.countOf(after))) >= MIN_EVENTS
    ? {
        cause: {
          type: 'worse',
          measure: measure.name,
          ...kindFields(kind),
          updated: updated.length,
          ...own,
          others: others.length,
          others_before: other.before,
          others_after: other.after,
        },
        chance,
      }
    : null;
}
