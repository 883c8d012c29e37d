import type { FaultCode } from '@placard/protocol';
import { clearFaults, NO_FAULTS, raiseFault, toReportedFaults } from '../../core/health/faults.ts';
import type { Clock } from '../../core/ports.ts';

type FaultDetails = Readonly<Record<string, unknown>>;

/** Raises and clears its own faults. A fault stays active as long as at least one source has it raised. */
export interface FaultSource {
  raise(code: FaultCode, details?: FaultDetails): void;
  /** Clears these faults; without codes, all faults of this source. */
  clear(...codes: FaultCode[]): void;
  /** Raises the fault with these details, or clears it (null). */
  setFault(code: FaultCode, details: FaultDetails | null): void;
}

/** The faults of all sources. */
export function createActiveFaults(deps: { clock: Clock; onChange(): void }) {
  let faults = NO_FAULTS;
  let lastSourceId = 0;
  const replace = (next: typeof faults) => {
    if (next !== faults) {
      faults = next;
      deps.onChange();
    }
  };
  return {
    createSource: (): FaultSource => {
      const sourceId = (lastSourceId += 1);
      const raise: FaultSource['raise'] = (code, details = {}) =>
        replace(raiseFault(faults, { code, sourceId, details }, deps.clock.wallMs()));
      const clear: FaultSource['clear'] = (...codes) =>
        replace(clearFaults(faults, sourceId, codes.length > 0 ? codes : undefined));
      return { raise, clear, setFault: (code, details) => (details ? raise(code, details) : clear(code)) };
    },
    report: () => toReportedFaults(faults),
  };
}
