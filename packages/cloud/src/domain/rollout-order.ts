import { hashText } from '@placard/schedule';

/** A device that a rollout reaches. */
export interface RolloutCandidate {
  id: string;
  /** Board and shell: `Raspberry Pi 4 with chromium`. */
  kind: string;
  isOnline: boolean;
}

/**
 * The order in which devices are told to update; the rings are its beginnings. Online devices go first, otherwise chance decides
 * (a hash, so that the order is the same whenever it is computed). Each kind has its share of every beginning, and one device
 * among the very first.
 */
export function orderDevices<Candidate extends RolloutCandidate>(
  rolloutId: string,
  devices: readonly Candidate[],
): Candidate[] {
  const byKind = Map.groupBy(devices, ({ kind }) => kind);
  const placed = [...byKind.values()].flatMap((ofKind) =>
    ofKind
      .map((device) => ({ device, rank: hashText(`${rolloutId}\n${device.id}`) }))
      .toSorted(
        (a, b) =>
          Number(b.device.isOnline) - Number(a.device.isOnline) || a.rank - b.rank || compareIds(a, b),
      )
      .map(({ device, rank }, index) => ({
        device,
        rank,
        place: index === 0 ? 0 : (index + 0.5) / ofKind.length,
        size: ofKind.length,
      })),
  );
  return placed
    .toSorted((a, b) => a.place - b.place || b.size - a.size || a.rank - b.rank || compareIds(a, b))
    .map(({ device }) => device);
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
