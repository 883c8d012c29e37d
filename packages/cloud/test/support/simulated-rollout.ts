import type { SeededRandom } from '../../../../test/support/seeded-random.ts';
import { NO_TOTALS } from '../../src/domain/device-health.ts';
import type { HealthTotals } from '../../src/domain/device-health.ts';
import { findBroken, findRegression } from '../../src/domain/rollout-comparison.ts';
import type { ComparedDevice, Regression, TriedKind } from '../../src/domain/rollout-comparison.ts';
import { orderDevices, ringEnds } from '../../src/domain/rollout-order.ts';
import { LOOK_HOURS } from '../../src/domain/rollout-plan.ts';

export type RegressedMeasure =
  'restarts' | 'faults' | 'dropped_frames' | 'start_time' | 'not_coming_back' | 'broken_update';

/** What the new version does worse. */
export interface SeededRegression {
  measure: RegressedMeasure;
  /** How many times; of devices that do not come back, or go back to the version before: their share. */
  size: number;
  /** On one board and shell only; null: on all. */
  kind: string | null;
}

export interface SimulatedRollout {
  fleet: number;
  holdHours: number;
  /** How many rings are simulated; the last one, with all devices, has none to compare with. */
  rings: number;
  regression: SeededRegression | null;
  random: SeededRandom;
}

export interface SimulatedOutcome {
  /** Updated devices when it stopped; null: it did not. */
  stoppedAt: number | null;
  ring: number | null;
  hours: number | null;
  found: Regression | null;
}

/** Shares of the fleet, with the milliseconds of a start and the share of frames that are dropped. */
export const KINDS = [
  { name: 'Raspberry Pi 4 with chromium', share: 0.4, startMs: 7000, dropped: 0.004 },
  { name: 'Raspberry Pi 5 with chromium', share: 0.25, startMs: 3500, dropped: 0.001 },
  { name: 'NUC with electron', share: 0.25, startMs: 2000, dropped: 0.0005 },
  { name: 'OptiPlex with electron', share: 0.1, startMs: 2500, dropped: 0.001 },
] as const;

const RINGS = [1, 10, 100];
const MAX_COMPARED = 2000;
const DAYS_BEFORE = 10;
const FRAMES_PER_HOUR = 25 * 3600;
const DEVICES_PER_STORE = 15;
/** Devices are on or off for so long at once. */
const STEP_HOURS = 4;
/** From the begin of a ring until it is observed. */
const MIN_SETTLING_HOURS = 3;
const MAX_SETTLING_HOURS = 24;

/** What happens to all devices in some hours. */
interface Circumstances {
  hour: number;
  /** The hour of the day at which the rollout began. */
  startHour: number;
  weather: ReturnType<typeof createWeather>;
  regression: SeededRegression | null;
  random: SeededRandom;
}

interface SimulatedDevice {
  id: string;
  kind: (typeof KINDS)[number]['name'];
  isOnline: boolean;
  store: number;
  /** Opens in the morning and is switched off in the evening. */
  isOffAtNight: boolean;
  restartsPerDay: number;
  faultsPerDay: number;
  droppedShare: number;
  startMs: number;
  isTold: boolean;
  isLost: boolean;
  /** It went back to the version before. */
  isBroken: boolean;
  isUpdated: boolean;
  /** Switched off for good by chance. */
  goneAtHour: number;
  before: HealthTotals;
  totals: HealthTotals;
}

/** A rollout over a fleet in which devices differ, some are bad, some are off at night, and networks have bad evenings. */
export function simulateRollout({
  fleet,
  holdHours,
  rings,
  regression,
  random,
}: SimulatedRollout): SimulatedOutcome {
  // Fleets whose devices are on all day, or off at night, or some of them.
  const nightShare = random.pick([0, 1 / 3, 1]);
  const startHour = random.below(24);
  const devices = orderDevices(
    `rollout_${random.seed}`,
    Array.from({ length: fleet }, (_each, index) => createDevice(index, nightShare, random)),
    ringEnds(RINGS, fleet)[0] ?? 0,
  );
  const ends = ringEnds(RINGS, fleet);
  const ringHours = holdHours + MAX_SETTLING_HOURS;
  const weather = createWeather(fleet, ringHours * rings, random);
  for (let ring = 0; ring < rings; ring += 1) {
    const end = ends[ring] ?? fleet;
    const told = devices.slice(ends[ring - 1] ?? 0, end).slice(0, MAX_COMPARED);
    const others = devices.slice(end, end + MAX_COMPARED);
    const all = [...told, ...others];
    const circumstances = { weather, startHour, regression, random };
    let hour = ring * ringHours;
    for (const device of all) {
      device.before = totalsOfPast(device, random);
    }
    // A device that is off is told when it comes back; most must have answered.
    const began = hour;
    const unanswered = () => told.filter(({ isUpdated }) => !isUpdated).length;
    while (
      hour < began + MIN_SETTLING_HOURS ||
      (unanswered() > told.length / 5 && hour < began + MAX_SETTLING_HOURS)
    ) {
      for (const device of told) {
        device.isTold = true;
        if (!device.isUpdated && !isOff(device, hour, startHour)) {
          update(device, regression, random);
        }
      }
      all.forEach((device) => live(device, 1, { ...circumstances, hour }));
      hour += 1;
    }
    // From here on they are compared.
    for (const device of all) {
      device.totals = [...NO_TOTALS];
    }
    const observedFrom = hour;
    for (const look of [...LOOK_HOURS.filter((each) => each < holdHours), holdHours]) {
      while (hour < observedFrom + look) {
        const hours = Math.min(STEP_HOURS, observedFrom + look - hour);
        const at = { ...circumstances, hour };
        all.forEach((device) => live(device, hours, at));
        hour += hours;
      }
      const found =
        findBroken(countBroken(told)) ??
        findRegression(all.map((device) => toCompared(device, hour - 1, startHour)));
      if (found) {
        return { stoppedAt: end, ring, hours: look, found };
      }
    }
  }
  return { stoppedAt: null, ring: null, hours: null, found: null };
}

/** The first start of a version is slow and raises faults that pass; some updates are rolled back, and some devices are lost by chance. */
function update(device: SimulatedDevice, regression: SeededRegression | null, random: SeededRandom): void {
  device.isUpdated = true;
  const shareOf = (measure: RegressedMeasure, usual: number) =>
    regression?.measure === measure && isRegressed(device, regression) ? regression.size : usual;
  device.isLost = random.chance(shareOf('not_coming_back', 0.0005));
  device.isBroken = random.chance(shareOf('broken_update', 0.002));
  if (random.chance(0.5)) {
    device.totals[1] += 1;
  }
  device.totals[5] += 1;
  addStart(device, { measure: 'start_time', size: 1.8, kind: null }, random);
}

/** As the answers of devices say it. */
const countBroken = (told: readonly SimulatedDevice[]): TriedKind[] =>
  [
    ...Map.groupBy(
      told.filter(({ isUpdated }) => isUpdated),
      ({ kind }) => kind,
    ),
  ].map(([kind, own]) => ({
    kind,
    tried: own.filter(({ isLost }) => !isLost).length,
    broken: own.filter(({ isLost, isBroken }) => !isLost && isBroken).length,
  }));

function createDevice(index: number, nightShare: number, random: SeededRandom): SimulatedDevice {
  const kind = pickKind(random);
  const isBad = random.chance(0.03);
  const badness = isBad ? 10 + 20 * random.next() : 1;
  return {
    id: `dev_${index}`,
    kind: kind.name,
    isOnline: true,
    store: Math.floor(index / DEVICES_PER_STORE),
    isOffAtNight: ((Math.floor(index / DEVICES_PER_STORE) % 3) + 1) / 3 <= nightShare,
    restartsPerDay: 0.15 * badness * logNormal(0.7, random),
    faultsPerDay: 0.25 * badness * logNormal(0.8, random),
    droppedShare: kind.dropped * (isBad ? 5 : 1) * logNormal(0.6, random),
    startMs: kind.startMs * logNormal(0.2, random),
    isTold: false,
    isLost: false,
    isBroken: false,
    isUpdated: false,
    goneAtHour: random.chance(0.01) ? random.next() * 500 : Infinity,
    before: [...NO_TOTALS],
    totals: [...NO_TOTALS],
  };
}

function pickKind(random: SeededRandom): (typeof KINDS)[number] {
  let rest = random.next();
  return KINDS.find(({ share }) => (rest -= share) < 0) ?? KINDS[0];
}

/** Hours in which more goes wrong for everybody, and outages of stores. */
function createWeather(fleet: number, hours: number, random: SeededRandom) {
  const isBadEvening = Array.from({ length: hours + 1 }, () => false);
  for (let evening = 0; evening < hours / 24; evening += 1) {
    if (random.chance(0.2)) {
      const from = evening * 24 + 10;
      isBadEvening.fill(true, from, Math.min(from + 6, hours));
    }
  }
  const outages = new Map<number, [from: number, to: number]>();
  for (let store = 0; store <= fleet / DEVICES_PER_STORE; store += 1) {
    if (random.chance(0.05)) {
      const from = random.next() * hours;
      outages.set(store, [from, from + 2 + random.next() * 20]);
    }
  }
  return { isBadEvening, outages };
}

function isOff(device: SimulatedDevice, hour: number, startHour: number): boolean {
  const ofDay = (hour + startHour) % 24;
  return device.goneAtHour <= hour || (device.isOffAtNight && (ofDay >= 21 || ofDay < 7));
}

const isRegressed = (device: SimulatedDevice, regression: SeededRegression | null): boolean =>
  device.isTold && regression !== null && (regression.kind === null || regression.kind === device.kind);

function factorOf(device: SimulatedDevice, regression: SeededRegression | null, measure: RegressedMeasure) {
  return regression?.measure === measure && isRegressed(device, regression) ? regression.size : 1;
}

function totalsOfPast(device: SimulatedDevice, random: SeededRandom): HealthTotals {
  const days = DAYS_BEFORE * (device.isOffAtNight ? 14 / 24 : 1);
  const minutes = days * 24 * 60;
  const begun = poisson(device.restartsPerDay * days, random);
  const pictures = Math.max(begun, random.chance(0.9) ? 1 : 0);
  const frames = days * 24 * FRAMES_PER_HOUR;
  return [
    minutes,
    poisson(device.faultsPerDay * days, random),
    frames,
    frames * device.droppedShare * logNormal(0.2, random),
    minutes,
    begun,
    pictures,
    pictures * (Math.log(device.startMs) + (gaussian(random) * 0.15) / Math.sqrt(Math.max(pictures, 1))),
  ];
}

function addStart(device: SimulatedDevice, regression: SeededRegression | null, random: SeededRandom): void {
  device.totals[6] += 1;
  device.totals[7] +=
    Math.log(device.startMs * factorOf(device, regression, 'start_time')) + gaussian(random) * 0.15;
}

function live(
  device: SimulatedDevice,
  hours: number,
  { hour, startHour, weather, regression, random }: Circumstances,
): void {
  const [from, to] = weather.outages.get(device.store) ?? [Infinity, Infinity];
  if (device.isLost || isOff(device, hour, startHour) || (hour >= from && hour < to)) {
    return;
  }
  const bad = weather.isBadEvening[hour] ? 6 : 1;
  const { totals } = device;
  const times = (perDay: number, badness: number, measure: RegressedMeasure) =>
    poisson((perDay / 24) * hours * badness * factorOf(device, regression, measure), random);
  totals[0] += hours * 60;
  totals[1] += times(device.faultsPerDay, bad, 'faults');
  totals[2] += FRAMES_PER_HOUR * hours;
  totals[3] +=
    FRAMES_PER_HOUR *
    hours *
    device.droppedShare *
    Math.sqrt(bad) *
    factorOf(device, regression, 'dropped_frames') *
    (0.3 + 1.4 * random.next());
  totals[4] += hours * 60;
  const restarts = times(device.restartsPerDay, Math.sqrt(bad), 'restarts');
  totals[5] += restarts;
  for (let each = 0; each < restarts; each += 1) {
    addStart(device, regression, random);
  }
}

const toCompared = (device: SimulatedDevice, hour: number, startHour: number): ComparedDevice => ({
  kind: device.kind,
  isTold: device.isTold,
  isSilent: device.isLost || isOff(device, hour, startHour),
  health:
    device.isLost || device.isBroken || (device.isTold && !device.isUpdated)
      ? null
      : { before: device.before, after: [...device.totals] },
});

function gaussian(random: SeededRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

const logNormal = (deviation: number, random: SeededRandom): number => Math.exp(gaussian(random) * deviation);

function poisson(mean: number, random: SeededRandom): number {
  if (mean > 30) {
    return Math.max(0, Math.round(mean + gaussian(random) * Math.sqrt(mean)));
  }
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random.next(); product > limit; product *= random.next()) {
    count += 1;
  }
  return count;
}
