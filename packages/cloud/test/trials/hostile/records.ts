import type { Took } from './stopwatch.ts';

/** A request of the steady side that was no success. */
export interface Trouble {
  kind: string;
  /** When it was sent and answered, milliseconds since 1970. */
  fromMs: number;
  toMs: number;
  /** 0: the connection ended without an answer. */
  status: number;
  code: string;
  reason: string;
  text: string;
}

/** All requests of one kind. */
export interface KindRecord {
  /** How long each took, milliseconds, without what no cloud can help; and by the clock of the wall. */
  tookMs: number[];
  wallMs: number[];
  slowest: Took;
  /** Troubles by status, code and reason. */
  troubles: Map<string, number>;
}

/** What became of every request of the steady side. */
export interface Records {
  readonly kinds: ReadonlyMap<string, KindRecord>;
  readonly troubles: readonly Trouble[];
  note(kind: string, took: Took, trouble?: Omit<Trouble, 'kind' | 'fromMs' | 'toMs'>): void;
}

export function createRecords(): Records {
  const kinds = new Map<string, KindRecord>();
  const troubles: Trouble[] = [];
  return {
    kinds,
    troubles,
    note(kind, took, trouble) {
      const record: KindRecord = kinds.get(kind) ?? {
        tookMs: [],
        wallMs: [],
        slowest: took,
        troubles: new Map(),
      };
      kinds.set(kind, record);
      record.tookMs.push(took.ms);
      record.wallMs.push(took.wallMs);
      if (took.ms > record.slowest.ms) record.slowest = took;
      if (!trouble) return;
      troubles.push({ kind, fromMs: took.fromMs, toMs: took.toMs, ...trouble });
      const name = [trouble.status || 'no answer', trouble.code, trouble.reason].filter(Boolean).join(' ');
      record.troubles.set(name, (record.troubles.get(name) ?? 0) + 1);
    },
  };
}

/** The value below which such a part of the values lies; 0 when there are none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
