import { hashText } from '@placard/schedule';
import { MIN_OTHERS } from './rollout-comparison.ts';

/** A device that a rollout reaches. */
export interface RolloutCandidate {
  id: string;
  /** Board and shell: `Raspberry Pi 4 with chromium`. */
  kind: string;
  isOnline: boolean;
}

/** The share of the first ring that is kept for kinds that would have no device in it. */
const SHARE_OF_ABSENT = 1 / 4;
const HASHES = 2 ** 32;
const RARE = '';

/**
 * The order in which devices are told to update; the rings are its beginnings. Online devices go first, otherwise chance decides
 * (a hash, so that the order is the same whenever it is computed). Each kind has its share of every beginning; those of too few devices to
 * be compared by themselves have it together.
 *
 * @param firstRing how many devices the first ring has
 */
export function orderDevices<Candidate extends RolloutCandidate>(
  rolloutId: string,
  devices: readonly Candidate[],
  firstRing: number,
): Candidate[] {
  const hash = (text: string) => hashText(`${rolloutId}\n${text}`);
  const sizes = Map.groupBy(devices, ({ kind }) => kind);
  const kinds = Map.groupBy(devices, ({ kind }) =>
    (sizes.get(kind)?.length ?? 0) > MIN_OTHERS ? kind : RARE,
  );
  const placed = [...kinds].flatMap(([kind, own]) => {
    // A systematic sample: where it begins is up to chance, otherwise all small kinds would begin at the same place.
    const start = hash(kind) / HASHES;
    return own
      .map((device) => ({ device, kind, rank: hash(device.id) }))
      .toSorted(
        (a, b) =>
          Number(b.device.isOnline) - Number(a.device.isOnline) || a.rank - b.rank || compareIds(a, b),
      )
      .map((each, index) => ({ ...each, index, size: own.length, place: (index + start) / own.length }));
  });
  const order = placed.toSorted((a, b) => a.place - b.place || a.rank - b.rank || compareIds(a, b));
  const kept = Math.floor(firstRing * SHARE_OF_ABSENT);
  const present = new Set(order.slice(0, firstRing - kept).map(({ kind }) => kind));
  const firstOfAbsent = order
    .filter(({ kind, index }) => index === 0 && !present.has(kind))
    .toSorted((a, b) => b.size - a.size || a.rank - b.rank)
    .slice(0, kept);
  const moved = new Set(firstOfAbsent);
  return [...firstOfAbsent, ...order.filter((each) => !moved.has(each))].map(({ device }) => device);
}

const compareIds = (a: { device: { id: string } }, b: { device: { id: string } }): number =>
  a.device.id < b.device.id ? -1 : 1;

/** How many devices each ring has with those before it: at most its share of the fleet, but at least one more than before. */
export function ringEnds(percents: readonly number[], fleet: number): number[] {
  const ends: number[] = [];
  for (const percent of percents) {
    const least = (ends.at(-1) ?? 0) + 1;
    ends.push(Math.min(fleet, Math.max(Math.floor((fleet * percent) / 100), least)));
  }
  return ends;
}
