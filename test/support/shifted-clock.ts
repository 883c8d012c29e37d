import { readFileSync } from 'node:fs';

/**
 * Loaded before a program (`node --import`): its wall clock is as many milliseconds off as the file says that is named
 * in the environment. The monotonic clock is left alone, as on a box whose clock somebody sets.
 */
const file = process.env.SHIFTED_CLOCK ?? '';
const RealDate = Date;

function now(): number {
  return RealDate.now() + Number(readFileSync(file, 'utf8'));
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: [], asked) =>
    Reflect.construct(target, given.length === 0 ? [now()] : given, asked),
  apply: () => new RealDate(now()).toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
