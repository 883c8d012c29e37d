/** A fault that comes again within this time after its picture is not a new one. */
const REPEAT_MS = 3_600_000;

/** The faults of which there is a picture, by code, with the monotonic time of the picture. */
export type PicturedFaults = ReadonlyMap<string, number>;

/** Without those that are over and whose picture is old enough: when they begin again they are new. */
export const forgetOldFaults = (
  pictured: PicturedFaults,
  active: readonly string[],
  monoMs: number,
): PicturedFaults =>
  new Map([...pictured].filter(([code, takenMs]) => active.includes(code) || monoMs - takenMs < REPEAT_MS));

/** The first fault that has begun and has no picture; undefined: none. */
export const findNewFault = (pictured: PicturedFaults, active: readonly string[]): string | undefined =>
  active.find((code) => !pictured.has(code));
