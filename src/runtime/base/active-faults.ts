import type { FaultCode, ReportedFault } from '@placard/protocol';
import { clearFaults, NO_FAULTS, raiseFault, toReportedFaults } from '../../core/health/faults.ts';
import type { Clock } from '../../core/ports.ts';

/** Raises and clears its own faults. A fault stays active as long as at least one source has it raised. */
export interface FaultSource {
  raise(code: FaultCode, details?: Readonly<Record<string, unknown>>): void;
  /** Clears these faults; without codes, all faults of this source. */
  clear(...codes: FaultCode[]): void;
}

/** The faults of all sources. */
export interface ActiveFaults {
  readonly createSource: () => FaultSource;
  readonly report: () => ReportedFault[];
}

export function createActiveFaults(deps: { clock: Clock; onChange(): void }): ActiveFaults {
  let faults = NO_FAULTS;
  let lastSourceId = 0;
  const replace = (next: typeof faults) => {
    if (next !== faults) {
      faults = next;
      deps.onChange();
    }
  };
  return {
    createSource() {
      const sourceId = (lastSourceId += 1);
      return {
        raise: (code, details = {}) =>
          replace(raiseFault(faults, { code, sourceId, details }, deps.clock.wallMs())),
        clear: (...codes) => replace(clearFaults(faults, sourceId, codes.length > 0 ? codes : undefined)),
      };
    },
    report: () => toReportedFaults(faults),
  };
}
