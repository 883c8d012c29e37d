import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createFilledDataFolder } from './filled-data-folder.ts';
import { createCopy } from './postgres-databases.ts';
import { runMove } from './run-move.ts';

const createDatabase = () => createCopy(inject('postgres')!, onTestFinished);

/** For the tests of a file: a data folder with rows in all tables, several batches of the greater ones, and databases on PostgreSQL. */
export function filledDatabases() {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = join(tempDir(afterAll), 'data');
    await createFilledDataFolder(dataDir, { devices: 700, plays: 2500, mediaFiles: 3, bytesPerFile: 500 });
  });

  return {
    /** The folder, with its SQLite file. */
    get dataDir() {
      return dataDir;
    },
    /** An empty one. */
    createDatabase,
    /** One with the rows of the folder. */
    async createFilledDatabase(this: void): Promise<string> {
      const to = await createDatabase();
      await runMove({ dataDir, to });
      return to;
    },
    /** Without this program. */
    async connect(this: void, url: string): Promise<Client> {
      const client = new Client(url);
      await client.connect();
      onTestFinished(() => client.end());
      return client;
    },
  };
}
