import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { z } from 'zod';
import { TICKS_PER_SECOND } from '../process-cost.ts';

/** What the server has used so far. */
export interface PostgresUse {
  /** CPU time of all processes of the server. */
  cpuMs: number;
  /** Bytes of the write-ahead log. */
  walBytes: number;
  /** Statements in the database of the cloud, with beginnings and ends of transactions. */
  statements: number;
}

const useRow = z.object({ pid: z.number(), wal: z.coerce.number(), statements: z.coerce.number() });

/** Fields of `/proc/<pid>/stat` after the name, by the numbers of proc(5). */
function readStat(pid: number): (field: number) => number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (field) => Number(fields[field - 3]);
}

const [PARENT, USER_TICKS, SYSTEM_TICKS, ENDED_USER_TICKS, ENDED_SYSTEM_TICKS] = [4, 14, 15, 16, 17];

/** Of a process that starts others, with those that have ended. */
function familyCpuMs(pid: number): number {
  const parent = readStat(pid);
  let ticks = parent(ENDED_USER_TICKS) + parent(ENDED_SYSTEM_TICKS);
  for (const name of readdirSync('/proc')) {
    try {
      const stat = /^\d+$/.test(name) ? readStat(Number(name)) : null;
      if (stat && (Number(name) === pid || stat(PARENT) === pid)) {
        ticks += stat(USER_TICKS) + stat(SYSTEM_TICKS);
      }
    } catch {
      // It has ended.
    }
  }
  return (ticks / TICKS_PER_SECOND) * 1000;
}

/** What a server on this machine has used so far. */
export async function readPostgresUse(client: Client): Promise<PostgresUse> {
  const { rows } = await client.query(`select pg_backend_pid() as pid, pg_current_wal_lsn() - '0/0' as wal,
    (select coalesce(sum(calls), 0) from pg_stat_statements join pg_database on pg_database.oid = dbid
      where datname = current_database()) as statements`);
  const { pid, wal, statements } = useRow.parse(rows[0]);
  return { cpuMs: familyCpuMs(readStat(pid)(PARENT)), walBytes: wal, statements };
}

/** What the server used since an earlier reading. */
export async function readUseSince(client: Client, before: PostgresUse): Promise<PostgresUse> {
  const now = await readPostgresUse(client);
  return {
    cpuMs: now.cpuMs - before.cpuMs,
    walBytes: now.walBytes - before.walBytes,
    statements: now.statements - before.statements,
  };
}
