/** `low`: uploads are refused. `full`: other changes do not fit either; reading and deleting go on. */
export type DiskState = 'ok' | 'low' | 'full';

/** What was measured of the disk that holds the data folder. All in bytes. */
export interface DiskFacts {
  free: number;
  /** Below this uploads are refused. */
  floor: number;
  /** Set aside so that deleting fits on a full disk; `reserve` is there, `fullReserve` should be. */
  reserve: number;
  fullReserve: number;
  /** A write was refused by the disk, and none has fitted since. */
  refused: boolean;
}

/** With less than this free a change of the database need not fit. */
export const LEAST_FREE_BYTES = 1_048_576;

export function diskStateOf({ free, floor, reserve, fullReserve, refused }: DiskFacts): DiskState {
  if (refused || free + reserve < fullReserve + LEAST_FREE_BYTES) return 'full';
  return free < floor ? 'low' : 'ok';
}

/** Uploads are refused when less is free, unless the operator says otherwise. */
export const DEFAULT_MIN_FREE_BYTES = 1_000_000_000;

/** How much is set aside on a disk of this size: 1/64, between 4 and 64 MiB. */
export const reserveFor = (totalBytes: number): number =>
  Math.round(Math.min(Math.max(totalBytes / 64, 4 * 1_048_576), 64 * 1_048_576));

/** `1.5 GB`, `64 MB`: for people. */
export const sizeText = (bytes: number): string =>
  bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** What an operator reads: what is wrong, where, and what to do. */
export function diskSentence(state: DiskState, dataDir: string, { free, floor }: DiskFacts): string {
  const where = `the disk of the data folder ${dataDir}`;
  switch (state) {
    case 'full':
      return (
        `Full: ${where} has ${sizeText(free)} left. Reading and deleting go on, all else is refused. ` +
        'Delete content or make room on the disk; the cloud goes on by itself.'
      );
    case 'low':
      return (
        `Low: ${where} has ${sizeText(free)} left, and uploads are refused below ${sizeText(floor)} (--min-free). ` +
        'Delete content or make room on the disk; uploads are taken again by themselves.'
      );
    case 'ok':
    default:
      return `There is room: ${where} has ${sizeText(free)} left.`;
  }
}
