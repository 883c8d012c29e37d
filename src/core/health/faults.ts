import type { FaultCode, ReportedFault } from '@placard/protocol';

/** Trouble that lasts, by its code: since when, and what is known. */
export type FaultList = ReadonlyMap<FaultCode, { sinceMs: number; facts: Readonly<Record<string, unknown>> }>;

export const NO_FAULTS: FaultList = new Map();

/** Keeps the instant at which the trouble began; the facts are those of the last time. */
export function raise(
  list: FaultList,
  code: FaultCode,
  facts: Readonly<Record<string, unknown>>,
  nowMs: number,
): FaultList {
  const known = list.get(code);
  if (known && JSON.stringify(known.facts) === JSON.stringify(facts)) return list;
  return new Map(list).set(code, { sinceMs: known?.sinceMs ?? nowMs, facts });
}

export function clear(list: FaultList, code: FaultCode): FaultList {
  if (!list.has(code)) return list;
  const rest = new Map(list);
  rest.delete(code);
  return rest;
}

/** In the shape of the wire and of `status.json`, oldest first. */
export const reportFaults = (list: FaultList): ReportedFault[] =>
  [...list]
    .toSorted(([, a], [, b]) => a.sinceMs - b.sinceMs)
    .slice(0, 100)
    .map(([code, { sinceMs, facts }]) => ({
      code,
      since: new Date(sinceMs).toISOString(),
      ...(Object.keys(facts).length > 0 ? { facts: { ...facts } } : {}),
    }));
