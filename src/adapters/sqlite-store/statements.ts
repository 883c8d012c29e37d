import type { Database } from 'better-sqlite3';
import type { z } from 'zod';
import type { Log } from '../../core/ports.ts';
import { isCorruption, suspectDatabase, translate } from './open-database.ts';

export interface StatementsDeps {
  file: string;
  /** The file turns out to be damaged. */
  onDamage?: () => void;
  log: Log;
}

type Value = string | number | null;

export type Statements = ReturnType<typeof statementsOf>;

/** Statements whose rows are parsed and whose errors are faults. A row that does not parse is left out and told. */
export function statementsOf(db: Database, { file, onDamage, log }: StatementsDeps) {
  const guarded = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      if (isCorruption(error)) {
        suspectDatabase(file);
        onDamage?.();
      }
      throw translate(error, file);
    }
  };
  const parse = <T extends z.ZodType>(schema: T, row: unknown, text: string): z.output<T>[] => {
    const parsed = schema.safeParse(row);
    if (parsed.success) return [parsed.data];
    log.error({ statement: text, problem: parsed.error.message }, 'store.row_invalid');
    return [];
  };
  return {
    /** Runs and tells how many rows it changed. */
    run: (text: string) => {
      const statement = db.prepare<Value[]>(text);
      return (...values: Value[]): number => guarded(() => statement.run(...values).changes);
    },
    all: <T extends z.ZodType>(schema: T, text: string) => {
      const statement = db.prepare<Value[]>(text);
      return (...values: Value[]): z.output<T>[] =>
        guarded(() => statement.all(...values)).flatMap((row) => parse(schema, row, text));
    },
    one: <T extends z.ZodType>(schema: T, text: string) => {
      const statement = db.prepare<Value[]>(text);
      return (...values: Value[]): z.output<T> | null => {
        const row = guarded(() => statement.get(...values));
        return row === undefined ? null : (parse(schema, row, text)[0] ?? null);
      };
    },
    /** All or nothing, and one fsync. */
    together: (act: () => void) => {
      guarded(() => db.transaction(act).immediate());
    },
  };
}
