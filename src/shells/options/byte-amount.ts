import { z } from 'zod';

const MULTIPLIERS: Readonly<Record<string, number>> = {
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
const AMOUNT_PATTERN = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?)(b|bit)?(\/s)?$/i;

type Unit = 'bytes' | 'rate';

/** Whole bytes, or bytes per second, of `20 GB`, `512MiB`, `750000`, `2.5 MB/s`, `16 Mbit/s`; otherwise null. */
function parseBytes(text: string, unit: Unit): number | null {
  const [, number = '', prefix = '', unitText = '', perSecond] = AMOUNT_PATTERN.exec(text.trim()) ?? [];
  const multiplier = MULTIPLIERS[prefix.toLowerCase()];
  const isBits = unitText.toLowerCase() === 'bit';
  if (number === '' || multiplier === undefined) {
    return null;
  }
  if (unit === 'bytes' && (isBits || perSecond)) {
    return null;
  }
  const bytes = Math.round((Number(number) * multiplier) / (isBits ? 8 : 1));
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** Schema of a setting that is an amount of bytes with its unit; parses to whole bytes. */
export const byteAmount = (unit: Unit, minBytes: number) => {
  const example = unit === 'bytes' ? 'a size such as 20GB or 512MiB' : 'a rate such as 2MB/s or 16Mbit/s';
  return z.union([z.string(), z.number()]).transform((value, context) => {
    const bytes = parseBytes(String(value), unit);
    if (bytes !== null && bytes >= minBytes) {
      return bytes;
    }
    const message = bytes === null ? `must be ${example}` : `must be at least ${minBytes} bytes`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
};
