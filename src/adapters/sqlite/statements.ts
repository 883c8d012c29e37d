import type { Database } from 'better-sqlite3';
import type { z } from 'zod';
import type { Log } from '../../core/ports.ts';
import { isCorruption, markSuspect, toDatabaseFault } from './open-database.ts';

type Value = string | number | null;

export type Statements = ReturnType<typeof createStatements>;

/** Statements whose rows are parsed and whose errors become faults. A row that does not parse is skipped and logged. */
export function createStatements(
  db: Database,
  deps: {
    file: string;
    /** Called when the file turns out to be damaged. */
    onCorruption?: () => void;
    log: Log;
  },
) {
  const { file, onCorruption, log } = deps;
  const withFaults = <T>(act: () => T): T => {
    try {
      return act();
    } catch (error) {
      if (isCorruption(error)) {
        markSuspect(file);
        onCorruption?.();
      }
      throw toDatabaseFault(error, file);
    }
  };
  const parse = <T extends z.ZodType>(schema: T, row: unknown, text: string): z.output<T>[] => {
    const parsed = schema.safeParse(row);
    if (parsed.success) {
      return [parsed.data];
    }
    log.error({ statement: text, problem: parsed.error.message }, 'database.row_rejected');
    return [];
  };
  return {
    /** Runs and returns the number of changed rows. */
    run: (text: string) => {
      const statement = db.prepare<Value[]>(text);
      return (...values: Value[]): number => withFaults(() => statement.run(...values).changes);
    },
    all: <T extends z.ZodType>(schema: T, text: string) => {
      const statement = db.prepare<Value[]>(text);
      return (...values: Value[]): z.output<T>[] =>
        withFaults(() => statement.all(...values)).flatMap((row) => parse(schema, row, text));
    },
    one: <T extends z.ZodType>(schema: T, text: string) => {
      const statement = db.prepare<Value[]>(text);
      return (...values: Value[]): z.output<T> | null => {
        const row = withFaults(() => statement.get(...values));
        return row === undefined ? null : (parse(schema, row, text)[0] ?? null);
      };
    },
    /** All or nothing, with one fsync. */
    transaction: (act: () => void) => {
      withFaults(() => db.transaction(act).immediate());
    },
  };
}
