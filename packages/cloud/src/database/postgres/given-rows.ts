import type { RawBuilder } from 'kysely';
import type { GivenColumn } from '../engine/engine.ts';
import { postgres } from '../engine/postgres.ts';

/** A table `given` of these rows, for `from`: one parameter for each column, however many rows there are. */
export const givenRows = <T extends Record<string, GivenColumn['type']>>(
  rows: readonly Record<keyof T & string, string | number | null>[],
  types: T,
): RawBuilder<unknown> =>
  postgres.given(
    Object.entries(types).map(([name, type]) => ({
      name,
      type,
      values: rows.map((row) => row[name] ?? null),
    })),
  );
