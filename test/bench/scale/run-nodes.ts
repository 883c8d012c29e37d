import { cpuMicros } from '../cloud/servers.ts';
import { readPostgresUse, readUseSince } from './postgres-use.ts';
import type { ScaleFleet } from './scale-fleet.ts';

/** What some load did to all nodes together, and what each item of it cost, in microseconds and bytes. */
export interface NodesResult {
  perSecond: number;
  nodeMicrosEach: number;
  postgresMicrosEach: number;
  /** Of this process, which sends. */
  senderMicrosEach: number;
  walBytesEach: number;
  /** Items in one transaction. */
  batch: number;
}

const cpuMicrosOf = ({ nodes }: ScaleFleet) => nodes.reduce((sum, { pid }) => sum + cpuMicros(pid), 0);

/**
 * Runs a load on all nodes at the same time; each returns how many items it has sent. `table` gets the rows of one
 * transaction by one statement.
 */
export async function runOnNodes(
  fleet: ScaleFleet,
  table: 'samples' | 'plays',
  run: (index: number) => Promise<number>,
): Promise<NodesResult> {
  const statementsBefore = await countInserts(fleet, table);
  const before = await readPostgresUse(fleet.client);
  const nodesBefore = cpuMicrosOf(fleet);
  const senderBefore = process.cpuUsage();
  const beganMs = performance.now();
  const counts = await Promise.all(fleet.nodes.map((_, index) => run(index)));
  const tookMs = performance.now() - beganMs;
  const sender = process.cpuUsage(senderBefore);
  const use = await readUseSince(fleet.client, before);
  const items = counts.reduce((sum, count) => sum + count, 0);
  return {
    perSecond: (items / tookMs) * 1000,
    nodeMicrosEach: (cpuMicrosOf(fleet) - nodesBefore) / items,
    postgresMicrosEach: (use.cpuMs * 1000) / items,
    senderMicrosEach: (sender.user + sender.system) / items,
    walBytesEach: use.walBytes / items,
    batch: items / ((await countInserts(fleet, table)) - statementsBefore),
  };
}

async function countInserts({ client }: ScaleFleet, table: string): Promise<number> {
  const { rows } = await client.query<{ calls: string }>(
    'select coalesce(sum(calls), 0) as calls from pg_stat_statements where query ~ $1',
    [`insert into ${table} `],
  );
  return Number(rows[0]!.calls);
}
