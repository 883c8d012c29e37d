import type { FaultCode, ReportedFault } from '@placard/protocol';

interface Raised {
  code: FaultCode;
  /** Number of whoever says so; nobody else takes it back. */
  by: number;
  sinceMs: number;
  facts: Readonly<Record<string, unknown>>;
}

/** Trouble that lasts, in the order in which it was first told. */
export type FaultList = readonly Raised[];

export const NO_FAULTS: FaultList = [];

/** Keeps the instant at which the trouble began; the facts are those of the last time. */
export function raise(
  list: FaultList,
  { code, by, facts }: Omit<Raised, 'sinceMs'>,
  nowMs: number,
): FaultList {
  const known = list.find((one) => one.code === code && one.by === by);
  if (!known) return [...list, { code, by, sinceMs: nowMs, facts }];
  if (JSON.stringify(known.facts) === JSON.stringify(facts)) return list;
  return list.map((one) => (one === known ? { ...one, facts } : one));
}

/** Takes back what this one has told: these codes, or all of them. */
export function clear(list: FaultList, by: number, codes?: readonly FaultCode[]): FaultList {
  const rest = list.filter((one) => one.by !== by || (codes && !codes.includes(one.code)));
  return rest.length === list.length ? list : rest;
}

/** In the shape of the wire and of `status.json`, oldest first; what several know of a code is put together. */
export function reportFaults(list: FaultList): ReportedFault[] {
  const byCode = new Map<FaultCode, Pick<Raised, 'sinceMs' | 'facts'>>();
  for (const { code, sinceMs, facts } of list) {
    const known = byCode.get(code);
    byCode.set(code, {
      sinceMs: Math.min(sinceMs, known?.sinceMs ?? sinceMs),
      // Whoever told it first knows it best.
      facts: { ...facts, ...known?.facts },
    });
  }
  return [...byCode]
    .toSorted(([, a], [, b]) => a.sinceMs - b.sinceMs)
    .slice(0, 100)
    .map(([code, { sinceMs, facts }]) => ({
      code,
      since: new Date(sinceMs).toISOString(),
      ...(Object.keys(facts).length > 0 ? { facts } : {}),
    }));
}
