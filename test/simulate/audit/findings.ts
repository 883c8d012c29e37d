export type FindingKind =
  | 'play_lost'
  | 'play_doubled'
  | 'play_count_wrong'
  | 'sample_lost'
  | 'sample_doubled'
  | 'command_lost'
  | 'report_lost';

/** Of each kind, so many are described. */
const MAX_EXAMPLES = 5;

/** What is wrong. */
export interface Findings {
  add(kind: FindingKind, example: string, count?: number): void;
  report(): { findings: Partial<Record<FindingKind, number>>; examples: string[] };
}

export interface AuditReport {
  devices: number;
  /** Acknowledged ones that were compared. */
  plays: number;
  samples: number;
  /** Of which the samples were compared. */
  sampled_devices: number;
  commands: number;
  findings: Partial<Record<FindingKind, number>>;
  examples: string[];
}

export function createFindings(): Findings {
  const counts: Partial<Record<FindingKind, number>> = {};
  const described: Partial<Record<FindingKind, number>> = {};
  const examples: string[] = [];
  return {
    add(kind, example, count = 1) {
      counts[kind] = (counts[kind] ?? 0) + count;
      described[kind] = (described[kind] ?? 0) + 1;
      if (described[kind] <= MAX_EXAMPLES) {
        examples.push(`${kind}: ${example}`);
      }
    },
    report: () => ({ findings: counts, examples }),
  };
}
