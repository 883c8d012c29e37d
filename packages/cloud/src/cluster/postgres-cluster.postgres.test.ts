import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from 'pg';
import pino from 'pino';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { createCopy } from '../../test/support/postgres-databases.ts';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { openPostgres } from '../database/open-postgres.ts';
import { nodeMessageRepository } from '../database/node-messages.ts';
import { joinPostgresCluster } from './postgres-cluster.ts';

const WITHIN = { timeout: 60_000, interval: 20 };
const CHECK_INTERVAL_MS = 2_000;

const createDatabase = () => createCopy(inject('postgres')!, onTestFinished);

/** A node whose checks happen when its clock is advanced. */
async function join(url: string) {
  const clock = createManualClock();
  const cluster = await joinPostgresCluster({ url, clock, log: pino({ enabled: false }) });
  onTestFinished(() => cluster.close());
  let heard = 0;
  cluster.onMessages(() => (heard += 1));
  return { cluster, check: () => clock.advance(CHECK_INTERVAL_MS), heard: () => heard };
}

async function administer(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Ends the sessions of all nodes, as a restart of the server does. */
const endSessions = async (url: string) => {
  const admin = await administer(url);
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'placard node' and datname = current_database()`,
  );
};

test('one node is the leader, until it closes', async () => {
  const url = await createDatabase();
  const first = await join(url);
  expect([first.cluster.isLeader(), first.cluster.isAlone()]).toEqual([true, true]);
  const second = await join(url);
  expect(second.cluster.isAlone()).toBe(false);
  second.check();
  await vi.waitUntil(() => second.heard() > 0, WITHIN);
  expect(second.cluster.isLeader()).toBe(false);
  first.check();
  await vi.waitUntil(() => !first.cluster.isAlone(), WITHIN);
  await first.cluster.close();
  expect([first.cluster.isLeader(), first.cluster.isAlone()]).toEqual([false, false]);
  await vi.waitUntil(() => {
    second.check();
    return second.cluster.isLeader() && second.cluster.isAlone();
  }, WITHIN);
});

test('a node that loses its session is no longer the leader, and connects again', async () => {
  const url = await createDatabase();
  const node = await join(url);
  expect(node.cluster.isLeader()).toBe(true);
  await endSessions(url);
  await vi.waitUntil(() => !node.cluster.isLeader(), WITHIN);
  const before = node.heard();
  await vi.waitUntil(() => {
    node.check();
    return node.cluster.isLeader();
  }, WITHIN);
  // It may have missed messages meanwhile.
  expect(node.heard()).toBeGreaterThan(before);
});

test('messages of any node are heard after their commit', async () => {
  const url = await createDatabase();
  const db = await openPostgres(url);
  onTestFinished(() => db.destroy());
  const node = await join(url);
  const before = node.heard();
  await db.transaction().execute(async (trx) => {
    await nodeMessageRepository(trx).add('other', 'body', 1000);
    expect(node.heard()).toBe(before);
  });
  await vi.waitUntil(() => node.heard() > before, WITHIN);
});

/** Holds the lock of the leader in another process, as a node does. */
const HOLD = `
const [url, cluster] = process.argv.slice(1);
const { joinPostgresCluster } = await import(cluster);
const { pino } = await import('pino');
const clock = { nowMs: Date.now, setTimer: (ms, run) => { const timer = setTimeout(run, ms); return () => clearTimeout(timer); } };
const node = await joinPostgresCluster({ url, clock, log: pino({ enabled: false }) });
setInterval(() => node.isLeader() && process.stdout.write('leader\\n'), 20);
`;

test.each(['SIGKILL', 'SIGSTOP'] as const)(
  'another node takes over from one that ends by %s',
  async (signal) => {
    const url = await createDatabase();
    const holder = spawn(
      process.execPath,
      ['--input-type=module', '-e', HOLD, url, new URL('./postgres-cluster.ts', import.meta.url).href],
      { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    onTestFinished(() => void holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    const node = await join(url);
    expect(node.cluster.isLeader()).toBe(false);
    holder.kill(signal);
    // The server ends the session of a suspended process after ten seconds.
    await vi.waitUntil(() => {
      node.check();
      return node.cluster.isLeader();
    }, WITHIN);
  },
);
