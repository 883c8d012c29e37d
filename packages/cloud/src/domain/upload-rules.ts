import { HOUR_MS } from './durations.ts';

/** Unfinished uploads, and the bytes of their whole files. */
export interface UploadCounts {
  count: number;
  bytes: number;
}

const GIB = 2 ** 30;
export const UPLOAD_LIMITS = {
  key: { count: 50, bytes: 32 * GIB },
  organization: { count: 500, bytes: 256 * GIB },
} as const satisfies Record<string, UploadCounts>;

/** Why another upload cannot begin, with all counted that there would be; null if it can. */
export function findUploadExcess(counts: Record<keyof typeof UPLOAD_LIMITS, UploadCounts>): string | null {
  for (const [subject, who] of [
    ['key', 'this key'],
    ['organization', 'the organization'],
  ] as const) {
    const limit = UPLOAD_LIMITS[subject];
    if (counts[subject].count > limit.count || counts[subject].bytes > limit.bytes) {
      return (
        `This would make ${counts[subject].count} unfinished uploads of ${counts[subject].bytes} bytes for ${who}; the limit ` +
        `is ${limit.count} of ${limit.bytes} bytes. Finish or delete some (GET /v1/content/uploads), or wait until they expire.`
      );
    }
  }
  return null;
}

/** However slowly it arrives, an upload ends after as many times its lifetime. */
const MAX_LIFETIMES = 7;

/** When an upload expires that receives bytes now. */
export const uploadExpiresMs = (
  { createdMs, nowMs }: { createdMs: number; nowMs: number },
  keepHours: number,
): number => Math.min(nowMs + keepHours * HOUR_MS, createdMs + MAX_LIFETIMES * keepHours * HOUR_MS);

const STEPS = 10;

/** Whether an upload that comes from one offset to another has received a further tenth of its file. */
export const reachesUploadStep = (from: number, to: number, size: number): boolean =>
  Math.floor((STEPS * to) / size) > Math.floor((STEPS * from) / size);
