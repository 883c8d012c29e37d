import type { SeededRandom } from '../../../../test/support/seeded-random.ts';
import { NO_TOTALS } from '../../src/domain/device-health.ts';
import type { HealthTotals } from '../../src/domain/device-health.ts';
import { orderDevices, ringEnds } from '../../src/domain/rollout-order.ts';
import { gaussian, logNormal, poisson } from './draws.ts';

/** A board with a shell. */
interface FleetKind {
  name: string;
  /** Of the fleet. */
  share: number;
  /** Until the first picture. */
  startMs: number;
  /** The share of frames that are dropped. */
  dropped: number;
}

const COMMON_KINDS: readonly FleetKind[] = [
  { name: 'Raspberry Pi 4 with chromium', share: 0.4, startMs: 7000, dropped: 0.004 },
  { name: 'Raspberry Pi 5 with chromium', share: 0.25, startMs: 3500, dropped: 0.001 },
  { name: 'NUC with electron', share: 0.25, startMs: 2000, dropped: 0.0005 },
  { name: 'OptiPlex with electron', share: 0.1, startMs: 2500, dropped: 0.001 },
];

const RINGS = [1, 10, 100];
/** What is remembered of reports before a ring: one to two weeks. */
const MAX_PAST_DAYS = 14;
const FRAMES_PER_HOUR = 25 * 3600;
const DEVICES_PER_STORE = 15;
/** In which a store has an outage with a chance of 5 %. */
const OUTAGE_PERIOD_HOURS = 192;

export interface SimulatedDevice {
  id: string;
  kind: string;
  /** When the order was made. */
  isOnline: boolean;
  store: number;
  /** Opens in the morning and is switched off in the evening. */
  isOffAtNight: boolean;
  countsStarts: boolean;
  playsVideo: boolean;
  restartsPerDay: number;
  faultsPerDay: number;
  droppedShare: number;
  startMs: number;
  /** Switched off for good by chance. */
  goneAtHour: number;
  status: 'waiting' | 'told' | 'updated' | 'failed';
  toldAtMinute: number;
  /** When it received its command; null: not yet. */
  beganAtMinute: number | null;
  answersAtMinute: number;
  /** It does not come back from the update. */
  isLost: boolean;
  /** It goes back to the version before. */
  isBroken: boolean;
  /** Since its ring is observed. */
  isObserved: boolean;
  before: HealthTotals;
  totals: HealthTotals;
}

/** Devices in the order in which a rollout tells them, and what happens to all of them. */
export interface SimulatedFleet {
  devices: readonly SimulatedDevice[];
  /** How many devices each ring has with those before it. */
  ringEnds: readonly number[];
  kinds: readonly FleetKind[];
  /** How long the devices have reported when the rollout begins. */
  pastDays: number;
  /** The hour of the day at which it begins. */
  startHour: number;
  isBadEvening: (hour: number) => boolean;
  outages: ReadonlyMap<number, readonly [from: number, to: number]>;
  /** Updates that fail where nothing is wrong with the version. */
  failingShare: number;
  downloadMinutes: number;
}

/** Devices differ, some are bad, some are off at night, and networks have bad evenings. */
export function drawFleet(
  size: number,
  { pastDays, hours, random }: { pastDays: number; hours: number; random: SeededRandom },
): SimulatedFleet {
  const kinds = drawKinds(random);
  // Fleets whose devices are on all day, or off at night, or some of them.
  const nightShare = random.pick([0, 1 / 3, 1]);
  const startHour = random.below(24);
  const reporting = { starts: random.pick([1, 1, 0.7]), video: random.pick([1, 0.8, 0.3]) };
  const evenings = Array.from({ length: Math.ceil(hours / 24) }, () => random.chance(0.2));
  const devices = Array.from({ length: size }, (_each, index) =>
    createDevice(index, { kinds, nightShare, startHour, reporting, random }),
  );
  const ends = ringEnds(RINGS, size);
  return {
    devices: orderDevices(`rollout_${random.seed}`, devices, ends[0] ?? 0),
    ringEnds: ends,
    kinds,
    pastDays,
    startHour,
    isBadEvening: (hour) => evenings[Math.floor(hour / 24)] === true && hour % 24 >= 10 && hour % 24 < 16,
    outages: drawOutages(size, hours, random),
    failingShare: random.pick([0, 0.002, 0.005]),
    downloadMinutes: random.pick([0.5, 3, 60]),
  };
}

/** Four common ones, and sometimes many of which there are few. */
function drawKinds(random: SeededRandom): FleetKind[] {
  const rare = random.pick([0, 0, 12, 20, 100]);
  const rareShare = rare === 0 ? 0 : random.pick([0.05, 0.3]);
  return [
    ...COMMON_KINDS.map((kind) => ({ ...kind, share: kind.share * (1 - rareShare) })),
    ...Array.from({ length: rare }, (_each, index) => ({
      name: `PC ${index} with electron`,
      share: rareShare / rare,
      startMs: 1500 + 3000 * random.next(),
      dropped: 0.0007 * logNormal(0.3, random),
    })),
  ];
}

function pickKind(kinds: readonly FleetKind[], random: SeededRandom): FleetKind {
  let rest = random.next();
  return kinds.find(({ share }) => (rest -= share) < 0) ?? kinds[0]!;
}

function createDevice(
  index: number,
  {
    kinds,
    nightShare,
    startHour,
    reporting,
    random,
  }: Pick<SimulatedFleet, 'kinds' | 'startHour'> & {
    nightShare: number;
    reporting: { starts: number; video: number };
    random: SeededRandom;
  },
): SimulatedDevice {
  const kind = pickKind(kinds, random);
  const isBad = random.chance(0.03);
  const badness = isBad ? 10 + 20 * random.next() : 1;
  const store = Math.floor(index / DEVICES_PER_STORE);
  const device: Omit<SimulatedDevice, 'isOnline'> = {
    id: `dev_${index}`,
    kind: kind.name,
    store,
    isOffAtNight: ((store % 3) + 1) / 3 <= nightShare,
    countsStarts: random.chance(reporting.starts),
    playsVideo: random.chance(reporting.video),
    restartsPerDay: 0.15 * badness * logNormal(0.7, random),
    faultsPerDay: 0.25 * badness * logNormal(0.8, random),
    droppedShare: kind.dropped * (isBad ? 5 : 1) * logNormal(0.6, random),
    startMs: kind.startMs * logNormal(0.2, random),
    goneAtHour: random.chance(0.01) ? random.next() * 500 : Infinity,
    status: 'waiting',
    toldAtMinute: 0,
    beganAtMinute: null,
    answersAtMinute: Infinity,
    isLost: false,
    isBroken: false,
    isObserved: false,
    before: { ...NO_TOTALS },
    totals: { ...NO_TOTALS },
  };
  return { ...device, isOnline: !isOffAt(device, startHour) };
}

function drawOutages(size: number, hours: number, random: SeededRandom) {
  const outages = new Map<number, readonly [from: number, to: number]>();
  for (let store = 0; store <= size / DEVICES_PER_STORE; store += 1) {
    if (random.chance((0.05 * hours) / OUTAGE_PERIOD_HOURS)) {
      const from = random.next() * hours;
      outages.set(store, [from, from + 2 + random.next() * 20]);
    }
  }
  return outages;
}

const isOffAt = ({ isOffAtNight }: Pick<SimulatedDevice, 'isOffAtNight'>, hourOfDay: number): boolean =>
  isOffAtNight && (hourOfDay >= 21 || hourOfDay < 7);

/** Whether nothing is heard of a device: it is switched off, gone or lost, or the network of its store is down. */
export function isUnreachable(
  { startHour, outages }: SimulatedFleet,
  device: SimulatedDevice,
  hour: number,
): boolean {
  const [from, to] = outages.get(device.store) ?? [Infinity, Infinity];
  return (
    (device.isLost && device.beganAtMinute !== null) ||
    device.goneAtHour <= hour ||
    (hour >= from && hour < to) ||
    isOffAt(device, (hour + startHour) % 24)
  );
}

/** What a device has reported until an hour of the rollout, of the last one or two weeks. */
export function totalsOfPast(
  { pastDays }: SimulatedFleet,
  device: SimulatedDevice,
  hour: number,
  random: SeededRandom,
): HealthTotals {
  const days = Math.min(pastDays + hour / 24, MAX_PAST_DAYS) * (device.isOffAtNight ? 14 / 24 : 1);
  const minutes = days * 24 * 60;
  const begun = device.countsStarts ? poisson(device.restartsPerDay * days, random) : 0;
  // The last start before that time is known of most.
  const pictures = device.countsStarts ? Math.max(begun, random.chance(0.9) ? 1 : 0) : 0;
  const frames = device.playsVideo ? days * 24 * FRAMES_PER_HOUR : 0;
  return {
    minutes,
    faults: poisson(device.faultsPerDay * days, random),
    frames,
    dropped: frames * device.droppedShare * logNormal(0.2, random),
    countedMinutes: device.countsStarts ? minutes : 0,
    starts: begun,
    pictures,
    logMs:
      pictures * (Math.log(device.startMs) + (gaussian(random) * 0.15) / Math.sqrt(Math.max(pictures, 1))),
  };
}

/** How many times as much of each measure as usual. */
export type Factors = Readonly<Record<'restarts' | 'faults' | 'dropped_frames' | 'start_time', number>>;

/** Adds what a device reports of some hours. */
export function live(
  fleet: SimulatedFleet,
  device: SimulatedDevice,
  {
    fromHour,
    hours,
    factors,
    random,
  }: { fromHour: number; hours: number; factors: Factors; random: SeededRandom },
): void {
  if (isUnreachable(fleet, device, fromHour)) {
    return;
  }
  const bad = fleet.isBadEvening(fromHour) ? 6 : 1;
  const { totals } = device;
  const times = (perDay: number) => poisson((perDay / 24) * hours, random);
  totals.minutes += hours * 60;
  totals.faults += times(device.faultsPerDay * bad * factors.faults);
  if (device.playsVideo) {
    const frames = FRAMES_PER_HOUR * hours;
    const share = device.droppedShare * Math.sqrt(bad) * factors.dropped_frames * (0.3 + 1.4 * random.next());
    totals.frames += frames;
    totals.dropped += frames * Math.min(share, 1);
  }
  if (device.countsStarts) {
    const restarts = times(device.restartsPerDay * Math.sqrt(bad) * factors.restarts);
    totals.countedMinutes += hours * 60;
    totals.starts += restarts;
    totals.pictures += restarts;
    for (let each = 0; each < restarts; each += 1) {
      totals.logMs += Math.log(device.startMs * factors.start_time) + gaussian(random) * 0.15;
    }
  }
}
