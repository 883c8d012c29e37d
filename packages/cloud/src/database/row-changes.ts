import type Sqlite from 'better-sqlite3';

/** An event as in `create trigger … after`, and the key of the row that `changed` is called with, both in SQL. */
export type RowChangeEvent = readonly [event: string, key: string];

/**
 * Calls `changed` with the key of each row that a statement of this connection changes, also in a transaction that is rolled
 * back later. For what is kept of rows in memory. With temporary triggers, so that whatever statement changes the row is
 * noticed, and other connections do without them. `name` is a name in SQL, of this watch alone.
 */
export function watchRows(
  connection: Sqlite.Database,
  name: string,
  events: readonly RowChangeEvent[],
  changed: (key: string) => void,
): void {
  connection.function(name, (key: unknown) => {
    changed(String(key));
    return null;
  });
  events.forEach(([event, key], index) => {
    connection.exec(`create temp trigger ${name}_${index} after ${event} begin select ${name}(${key}); end`);
  });
}

/**
 * Returns a function that tells whether another connection has committed since it was called last; of other processes, too. It takes up
 * to 20 µs, which are the system calls of SQLite's locks.
 */
export function watchOtherCommits(connection: Sqlite.Database): () => boolean {
  const dataVersion = connection.prepare<[], number>('pragma data_version').pluck();
  let version = dataVersion.get();
  return () => {
    const before = version;
    version = dataVersion.get();
    return version !== before;
  };
}
