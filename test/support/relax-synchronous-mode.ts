import Database from 'better-sqlite3';

/** Weakens the durability that programs require of SQLite, so that a test can show the consequences. */
export function relaxSynchronousMode(mode: string): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called on its database
  const { pragma } = Database.prototype;
  Database.prototype.pragma = function (text, options): unknown {
    if (text === 'synchronous = FULL') {
      return pragma.call(this, `synchronous = ${mode}`, options);
    }
    if (text === 'synchronous') {
      return 2;
    }
    return pragma.call(this, text, options);
  };
}
