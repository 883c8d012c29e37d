import { readFileSync } from 'node:fs';

/**
 * Preloaded (`node --import`): offsets the wall clock by the milliseconds in the file that the environment variable
 * names. The monotonic clock is not changed, as when somebody sets the clock of a device.
 */
const file = process.env.SHIFTED_CLOCK ?? '';
const RealDate = Date;

function now(): number {
  return RealDate.now() + Number(readFileSync(file, 'utf8'));
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: [], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
