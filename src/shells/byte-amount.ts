import { z } from 'zod';

const POWERS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40,
};
const AMOUNT = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?)(b|bit)?(\/s)?$/i;

type Unit = 'bytes' | 'rate';

/** Whole bytes (of a rate: a second) of `20 GB`, `512MiB`, `750000`, `2.5 MB/s`, `16 Mbit/s`; null when it is none. */
function bytesOf(text: string, unit: Unit): number | null {
  const [, number = '', prefix = '', what = '', perSecond] = AMOUNT.exec(text.trim()) ?? [];
  const power = POWERS[prefix.toLowerCase()];
  const bits = what.toLowerCase() === 'bit';
  if (number === '' || power === undefined) return null;
  if (unit === 'bytes' && (bits || perSecond)) return null;
  const bytes = Math.round((Number(number) * power) / (bits ? 8 : 1));
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** A setting that is an amount of bytes with its unit; parses into whole bytes. */
export const byteAmount = (unit: Unit, least: number) => {
  const example = unit === 'bytes' ? 'a size such as 20GB or 512MiB' : 'a rate such as 2MB/s or 16Mbit/s';
  return z.union([z.string(), z.number()]).transform((value, context) => {
    const bytes = bytesOf(String(value), unit);
    if (bytes !== null && bytes >= least) return bytes;
    const message = bytes === null ? `must be ${example}` : `must be at least ${least} bytes`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
};
