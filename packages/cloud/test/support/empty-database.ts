import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASE_FILE } from '../../src/database/maintenance.ts';
import { openDatabase } from '../../src/database/open-database.ts';

let made: Promise<Buffer> | undefined;

/** The file of a database with all tables and no rows. */
async function makeDatabase(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'placard-empty-'));
  try {
    await (await openDatabase(folder)).destroy();
    return await readFile(join(folder, DATABASE_FILE));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Puts an empty SQLite database into a data folder: all migrations take longer than most tests. */
export async function putEmptyDatabase(dataDir: string): Promise<void> {
  made ??= makeDatabase();
  await writeFile(join(dataDir, DATABASE_FILE), await made);
}
