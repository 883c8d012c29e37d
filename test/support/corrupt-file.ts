import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';

/** Overwrites a page in the middle of a table. */
export function corruptTable(file: string, table: string): void {
  const db = new Database(file);
  const pages = db
    .prepare<[string], number>(
      `SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno`,
    )
    .pluck()
    .all(table);
  const pageSize = Number(db.pragma('page_size', { simple: true }));
  db.close();
  const page = pages[Math.floor(pages.length / 2)]!;
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(pageSize, 0xa5), 0, pageSize, (page - 1) * pageSize);
  closeSync(handle);
}

/** Overwrites a whole file in place, so that processes that have it open see it. */
export function corruptFile(file: string): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(statSync(file).size, 'noise'));
  closeSync(handle);
}
