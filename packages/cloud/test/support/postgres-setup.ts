import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { openPostgres } from '../../src/database/open-postgres.ts';
import { startPostgres } from './postgres-server.ts';
import type { PostgresServer } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** In projects whose databases are on PostgreSQL: the server, and the database that those of tests are copies of. */
    postgres?: { url: string; template: string };
  }
}

async function findServer(): Promise<PostgresServer> {
  const url = process.env['PLACARD_TEST_POSTGRES'];
  return url === undefined || url === '' ? startPostgres() : { url, stop: async () => {} };
}

/** For vitest, as the global set-up of a project: a server, and an empty database with all migrations. */
export async function setup({ provide }: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  const server = await findServer();
  const template = `placard_test_${crypto.randomUUID()}`;
  const administer = async (...statements: string[]): Promise<void> => {
    const admin = new Client(server.url);
    await admin.connect();
    try {
      for (const statement of statements) {
        await admin.query(statement);
      }
    } finally {
      await admin.end();
    }
  };
  try {
    await administer(`create database "${template}" template template0 encoding 'UTF8'`);
    const url = new URL(server.url);
    url.pathname = template;
    await (await openPostgres(url.href)).destroy();
  } catch (error) {
    await server.stop();
    throw error;
  }
  provide('postgres', { url: server.url, template });
  return async () => {
    try {
      await administer(`drop database "${template}" with (force)`);
    } finally {
      await server.stop();
    }
  };
}
