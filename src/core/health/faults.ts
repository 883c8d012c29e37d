import type { FaultCode, ReportedFault } from '@placard/protocol';

interface RaisedFault {
  code: FaultCode;
  /** Fault source; only the source that raised a fault clears it. */
  sourceId: number;
  sinceMs: number;
  details: Readonly<Record<string, unknown>>;
}

/** Current faults, in the order in which they were first raised. */
export type FaultList = readonly RaisedFault[];

export const NO_FAULTS: FaultList = [];

/** Keeps the time at which the fault began; the details are replaced. */
export function raiseFault(
  list: FaultList,
  { code, sourceId, details }: Omit<RaisedFault, 'sinceMs'>,
  nowMs: number,
): FaultList {
  const existing = list.find((one) => one.code === code && one.sourceId === sourceId);
  if (!existing) {
    return [...list, { code, sourceId, sinceMs: nowMs, details }];
  }
  if (JSON.stringify(existing.details) === JSON.stringify(details)) {
    return list;
  }
  return list.map((one) => (one === existing ? { ...one, details } : one));
}

/** Clears faults of one source: the given codes, or all. */
export function clearFaults(list: FaultList, sourceId: number, codes?: readonly FaultCode[]): FaultList {
  const rest = list.filter((one) => one.sourceId !== sourceId || (codes && !codes.includes(one.code)));
  return rest.length === list.length ? list : rest;
}

/** In the format of the wire and of `status.json`, oldest first; faults with the same code are merged. */
export function toReportedFaults(list: FaultList): ReportedFault[] {
  const byCode = new Map<FaultCode, Pick<RaisedFault, 'sinceMs' | 'details'>>();
  for (const { code, sinceMs, details } of list) {
    const existing = byCode.get(code);
    byCode.set(code, {
      sinceMs: Math.min(sinceMs, existing?.sinceMs ?? sinceMs),
      // Details of the source that raised the fault first take precedence.
      details: { ...details, ...existing?.details },
    });
  }
  return [...byCode]
    .toSorted(([, a], [, b]) => a.sinceMs - b.sinceMs)
    .slice(0, 100)
    .map(([code, { sinceMs, details }]) => ({
      code,
      since: new Date(sinceMs).toISOString(),
      // `facts` on the wire.
      ...(Object.keys(details).length > 0 ? { facts: details } : {}),
    }));
}
