import { sql } from 'kysely';
import type { Db } from '../db.ts';

/** What one node opens at most: its pool, and the connection that is told what other nodes do. */
const CONNECTIONS_OF_A_NODE = 11;

interface Settings {
  version: string;
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
  isolation: string;
  connections: number;
  is_replica: boolean;
}

export interface SettingsReport {
  /** Sentences of what is wrong and what to do; empty if nothing is. */
  problems: string[];
  version: string;
  /** How many the server allows to programs like this one. */
  connections: number;
}

/** Looks for settings of the server with which a cloud loses data, or fails. */
export async function checkSettings(db: Db): Promise<SettingsReport> {
  const { rows } = await sql<Settings>`select
    current_setting('server_version') as version, current_setting('fsync') as fsync,
    current_setting('full_page_writes') as full_page_writes,
    current_setting('synchronous_commit') as synchronous_commit,
    current_setting('default_transaction_isolation') as isolation,
    current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer as connections,
    pg_is_in_recovery() as is_replica`.execute(db);
  const settings = rows[0]!;
  const { version, isolation, connections } = settings;
  const off = (['fsync', 'full_page_writes', 'synchronous_commit'] as const).filter(
    (name) => settings[name] === 'off',
  );
  const problems: string[] = [];
  if (off.length > 0) {
    problems.push(
      `After a crash the server may lack what screens were told is stored: set ${off.join(' and ')} to on.`,
    );
  }
  if (isolation !== 'read committed') {
    problems.push(`Set default_transaction_isolation to read committed; it is ${isolation}.`);
  }
  if (connections < CONNECTIONS_OF_A_NODE) {
    problems.push(
      `The server allows ${connections} connections, and a node opens up to ${CONNECTIONS_OF_A_NODE}: raise max_connections.`,
    );
  }
  if (settings.is_replica) {
    problems.push('The server is a replica, on which nothing can be written: name the primary.');
  }
  return { problems, version, connections };
}
