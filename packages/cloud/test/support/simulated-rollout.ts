import type { SeededRandom } from '../../../../test/support/seeded-random.ts';
import { NO_TOTALS } from '../../src/domain/device-health.ts';
import { findBroken, SILENT_AFTER_MS } from '../../src/domain/rollout-comparison.ts';
import type { ComparedDevice, Regression, TriedKind } from '../../src/domain/rollout-comparison.ts';
import { devicesDue } from '../../src/domain/rollout-pace.ts';
import { decideStep, lookHours } from '../../src/domain/rollout-plan.ts';
import type { RingCounts, RingState, RolloutStep } from '../../src/domain/rollout-plan.ts';
import { logNormal } from './draws.ts';
import { isUnreachable, live, totalsOfPast } from './simulated-fleet.ts';
import type { Factors, SimulatedDevice, SimulatedFleet } from './simulated-fleet.ts';

export type RegressedMeasure = keyof Factors | 'not_coming_back' | 'broken_update';

/** What the new version does worse. */
export interface SeededRegression {
  measure: RegressedMeasure;
  /** How many times; of devices that do not come back, or go back to the version before: their share. */
  size: number;
  /** On one board and shell only; null: on all. */
  kind: string | null;
}

export interface SimulatedRollout {
  fleet: SimulatedFleet;
  holdHours: number;
  regression: SeededRegression | null;
  /** A person continues when it is held; otherwise it ends. */
  isContinued: boolean;
  random: SeededRandom;
}

export interface SimulatedOutcome {
  status: 'stopped' | 'held' | 'finished';
  /** The ring in which it ended. */
  ring: number;
  /** Devices that were told by then. */
  told: number;
  /** Why it was stopped, and why a person was asked. */
  causes: RolloutStep[];
}

const MAX_COMPARED = 2000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** In minutes. */
const HOUR = 60;
/** While devices answer, and while they are compared, so many minutes are one step at most. */
const SETTLING_STEP = 15;
const OBSERVED_STEP = 4 * HOUR;
const USUAL: Factors = { restarts: 1, faults: 1, dropped_frames: 1, start_time: 1 };

/**
 * A rollout over a fleet: what the cloud decides is decided by `decideStep`, in the order in which devices answer. A failure is known soon
 * after the download, that a device is well some minutes later, and of one that is off when it comes back.
 */
export async function simulateRollout(rollout: SimulatedRollout): Promise<SimulatedOutcome> {
  const { fleet, isContinued } = rollout;
  const causes: RolloutStep[] = [];
  let minute = 0;
  for (const [index, end] of fleet.ringEnds.entries()) {
    const ring = await playRing(rollout, index, minute);
    minute = ring.minute;
    if (ring.step.type === 'stop' || ring.step.type === 'hold') {
      causes.push(ring.step);
    }
    if (ring.step.type === 'stop' || (ring.step.type === 'hold' && !isContinued)) {
      const status = ring.step.type === 'stop' ? 'stopped' : 'held';
      return { status, ring: index + 1, told: end - ring.waiting, causes };
    }
  }
  return { status: 'finished', ring: fleet.ringEnds.length, told: fleet.devices.length, causes };
}

/** Until the next ring may begin, or a person has to decide, or it is stopped. */
async function playRing(
  { fleet, holdHours, regression, random }: SimulatedRollout,
  index: number,
  startMinute: number,
): Promise<{ step: RolloutStep; minute: number; waiting: number }> {
  const isLast = index === fleet.ringEnds.length - 1;
  const end = fleet.ringEnds[index] ?? 0;
  const own = fleet.devices.slice(fleet.ringEnds[index - 1] ?? 0, end);
  let minute = startMinute;
  const compared = isLast ? [] : chooseCompared(fleet, own, end, minute / HOUR);
  for (const device of compared) {
    device.before = totalsOfPast(fleet, device, minute / HOUR, random);
    device.isObserved = false;
  }
  const state: RingState = { toldAtMs: null, observedFromMs: null, looks: 0, compared: 0, holdHours, isLast };
  let toldCount = 0;
  let failed = 0;
  let unanswered: SimulatedDevice[] = [];
  const decide = (broken: Regression | null) => {
    const counts: RingCounts = {
      chosen: own.length,
      waiting: own.length - toldCount,
      told: unanswered.length,
      failed,
      get alive() {
        return own.filter((device) => isAlive(device, minute / HOUR)).length;
      },
    };
    const devices = async () => compared.map((device) => toCompared(fleet, device, minute / HOUR));
    return decideStep(state, counts, broken, minute * MINUTE_MS, devices);
  };
  const ended = (step: RolloutStep) => ({ step, minute, waiting: own.length - toldCount });

  for (;;) {
    const due = unanswered
      .filter((device) => device.answersAtMinute <= minute && !isUnreachable(fleet, device, minute / HOUR))
      .toSorted((a, b) => a.answersAtMinute - b.answersAtMinute);
    for (const device of due) {
      device.status = device.isBroken ? 'failed' : 'updated';
      failed += device.isBroken ? 1 : 0;
      const broken = device.isBroken ? findBroken(triedKinds(own.slice(0, toldCount))) : null;
      if (broken) {
        return ended(await decide(broken));
      }
    }
    unanswered = unanswered.filter(({ status }) => status === 'told');
    for (const device of unanswered) {
      if (device.beganAtMinute === null && !isUnreachable(fleet, device, minute / HOUR)) {
        beginUpdate(device, minute, fleet, regression, random);
      }
    }
    const step = await decide(null);
    if (step.type === 'stop' || step.type === 'hold' || step.type === 'next_ring' || step.type === 'finish') {
      return ended(step);
    }
    if (step.type === 'observe') {
      state.observedFromMs = minute * MINUTE_MS;
      for (const device of compared) {
        device.isObserved = device.status === 'updated' || device.status === 'waiting';
        device.totals = { ...NO_TOTALS };
      }
      continue;
    }
    if (step.type === 'looked') {
      state.looks = step.looks;
      state.compared = step.compared;
      continue;
    }
    if (toldCount < own.length) {
      const due = devicesDue(fleet.devices.length, state.toldAtMs, minute * MINUTE_MS);
      const next = own.slice(toldCount, toldCount + due.count);
      for (const device of next) {
        device.status = 'told';
        device.toldAtMinute = minute;
        unanswered.push(device);
      }
      toldCount += next.length;
      state.toldAtMs = due.accountedAfter(next.length);
    }
    const minutes = toldCount < own.length ? 1 : minutesUntilNext(state, holdHours, minute);
    for (const device of state.observedFromMs === null ? [] : compared) {
      if (device.isObserved) {
        const factors = factorsOf(device, regression);
        live(fleet, device, { fromHour: minute / HOUR, hours: minutes / HOUR, factors, random });
      }
    }
    minute += minutes;
  }
}

function minutesUntilNext({ observedFromMs }: RingState, holdHours: number, minute: number): number {
  if (observedFromMs === null) {
    return SETTLING_STEP;
  }
  const since = minute - observedFromMs / MINUTE_MS;
  const looks = lookHours(holdHours).map((look) => look * HOUR);
  return Math.min(OBSERVED_STEP, (looks.find((look) => look > since) ?? since + HOUR) - since);
}

/** As the cloud remembers what they have reported: devices spread over the ring, and the next ones, that were heard of in the last day. */
function chooseCompared(
  fleet: SimulatedFleet,
  own: readonly SimulatedDevice[],
  end: number,
  hour: number,
): SimulatedDevice[] {
  const step = Math.max(1, Math.ceil(own.length / MAX_COMPARED));
  return [
    ...own.filter((_device, index) => index % step === 0),
    ...fleet.devices.slice(end, end + MAX_COMPARED),
  ].filter(({ goneAtHour }) => goneAtHour > hour - 24);
}

const isAlive = ({ status, isLost, goneAtHour }: SimulatedDevice, hour: number): boolean =>
  status === 'updated' && !isLost && goneAtHour > hour - 24;

/** As the cloud counts them (`triedByKind`). */
function triedKinds(told: readonly SimulatedDevice[]): TriedKind[] {
  const lastMinute = told.reduce(
    (last, { status, toldAtMinute }) => (status === 'failed' ? Math.max(last, toldAtMinute) : last),
    -Infinity,
  );
  const tried = told.filter(
    ({ status, toldAtMinute, beganAtMinute }) =>
      toldAtMinute <= lastMinute && (status !== 'told' || beganAtMinute !== null),
  );
  return [...Map.groupBy(tried, ({ kind }) => kind)].map(([kind, own]) => ({
    kind,
    tried: own.length,
    broken: own.filter(({ status }) => status === 'failed').length,
  }));
}

/** It has received its command. Some updates are rolled back, and some devices are lost, by chance. */
function beginUpdate(
  device: SimulatedDevice,
  minute: number,
  { failingShare, downloadMinutes }: SimulatedFleet,
  regression: SeededRegression | null,
  random: SeededRandom,
): void {
  const shareOf = (measure: RegressedMeasure, usual: number) =>
    regression?.measure === measure && isConcerned(device, regression) ? regression.size : usual;
  device.beganAtMinute = minute;
  device.isLost = random.chance(shareOf('not_coming_back', 0.0005));
  device.isBroken = !device.isLost && random.chance(shareOf('broken_update', failingShare));
  // Most versions that do not work fail at once; some only do not become healthy in time.
  const failing = random.chance(0.75) ? 0.5 + 2 * random.next() : 15 + 5 * random.next();
  const minutes = device.isBroken ? failing : 7 + 5 * random.next();
  device.answersAtMinute = device.isLost
    ? Infinity
    : minute + downloadMinutes * logNormal(0.7, random) + minutes;
}

const isConcerned = ({ kind }: SimulatedDevice, regression: SeededRegression): boolean =>
  regression.kind === null || regression.kind === kind;

const factorsOf = (device: SimulatedDevice, regression: SeededRegression | null): Factors =>
  device.status === 'updated' && regression && isConcerned(device, regression)
    ? { ...USUAL, [regression.measure]: regression.size }
    : USUAL;

function toCompared(fleet: SimulatedFleet, device: SimulatedDevice, hour: number): ComparedDevice {
  return {
    kind: device.kind,
    isTold: device.status !== 'waiting',
    isSilent:
      isUnreachable(fleet, device, hour) && isUnreachable(fleet, device, hour - SILENT_AFTER_MS / HOUR_MS),
    health: device.isObserved ? { before: device.before, after: { ...device.totals } } : null,
  };
}
