import { Client } from 'pg';
import type { Logger } from 'pino';
import { NODE_CHANNEL } from '../database/node-messages.ts';
import type { Clock } from '../domain/clock.ts';
import { errorMessage } from '../domain/error-details.ts';
import type { Cluster } from './cluster.ts';

/** An advisory lock, which the server releases when the session ends. Other locks of the cloud have other numbers. */
const LEADER_LOCK = 7_301_002;

/** Name of the session of each node. */
const NODE_SESSION = 'placard node';

/** Also the longest time until a message is read that was not heard of. */
const CHECK_INTERVAL_MS = 2_000;
const QUERY_TIMEOUT_MS = 3_000;
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * The server ends a session that is silent for this long, so that a node that hangs, or whose machine is gone, does not
 * stay the leader.
 */
const SILENT_SESSION_MS = 10_000;
/** A node that could not check for this long does not count as the leader: less than the server waits. */
const CONFIRMED_FOR_MS = 7_000;

export interface PostgresClusterDeps {
  /** Of the database that the nodes share. */
  url: string;
  clock: Clock;
  log: Logger;
}

/**
 * Joins the nodes by one connection to their database, used for nothing else: it holds the lock of the leader, and hears
 * of messages. A connection that was lost is made again. Resolves when it is known whether this node is the leader.
 */
export async function joinPostgresCluster({ url, clock, log }: PostgresClusterDeps): Promise<Cluster> {
  const listeners: (() => void)[] = [];
  let connected: Client | null = null;
  /** When this node last knew that it holds the lock; null when it does not. */
  let confirmedMs: number | null = null;
  /** Of all nodes, when that was last asked; null while that is not known. */
  let nodes: number | null = null;
  let isLossReported = false;
  let isClosed = false;
  let cancelTimer: (() => void) | null = null;

  const callListeners = (): void => {
    for (const listener of listeners) {
      listener();
    }
  };

  const disconnect = async (): Promise<void> => {
    const client = connected;
    connected = null;
    confirmedMs = null;
    nodes = null;
    // It may be broken already.
    await client?.end().catch(() => {});
  };

  const handleLoss = async (error: unknown): Promise<void> => {
    if (!isLossReported && !isClosed) {
      log.warn({ reason: errorMessage(error) }, 'cluster.disconnected');
      isLossReported = true;
    }
    await disconnect();
  };

  const connect = async (): Promise<Client> => {
    const client = new Client({
      connectionString: url,
      application_name: NODE_SESSION,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
    });
    client.on('error', (error) => {
      if (connected === client) {
        void handleLoss(error);
      }
    });
    client.on('notification', callListeners);
    try {
      await client.connect();
      await client.query(`set idle_session_timeout = ${SILENT_SESSION_MS}`);
      await client.query(`listen ${NODE_CHANNEL}`);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    log.info('cluster.connected');
    isLossReported = false;
    return client;
  };

  const check = async (): Promise<void> => {
    try {
      connected ??= await connect();
      // The clock of the system may be set; and it must go on while the process is suspended.
      const askedMs = performance.now();
      const wasLeader = confirmedMs !== null;
      const { rows } = await connected.query<{ held: boolean; nodes: number }>(
        `select ${wasLeader ? 'true' : `pg_try_advisory_lock(${LEADER_LOCK})`} as held,
          (select count(*)::int from pg_stat_activity
            where application_name = '${NODE_SESSION}' and datname = current_database()) as nodes`,
      );
      confirmedMs = rows[0]?.held ? askedMs : null;
      nodes = rows[0]?.nodes ?? null;
      if (!wasLeader && confirmedMs !== null) {
        log.info('cluster.leader');
      }
      callListeners();
    } catch (error) {
      await handleLoss(error);
    }
  };

  const checkRegularly = async (): Promise<void> => {
    await check();
    if (!isClosed) {
      cancelTimer = clock.setTimer(CHECK_INTERVAL_MS, () => {
        checking = checkRegularly();
      });
    }
  };
  let checking = checkRegularly();
  await checking;

  return {
    isLeader: () => confirmedMs !== null && performance.now() - confirmedMs < CONFIRMED_FOR_MS,
    isAlone: () => nodes === 1,
    onMessages: (listener) => void listeners.push(listener),
    async close() {
      isClosed = true;
      cancelTimer?.();
      await checking;
      await disconnect();
    },
  };
}
