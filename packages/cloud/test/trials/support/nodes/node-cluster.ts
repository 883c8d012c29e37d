import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../../../../../test/support/free-port.ts';
import { startPostgresProxy } from '../../../support/postgres-proxy.ts';
import type { PostgresProxy } from '../../../support/postgres-proxy.ts';
import { startPostgres } from '../../../support/postgres-server.ts';
import type { OwnPostgresServer } from '../../../support/postgres-server.ts';
import { S3_CREDENTIALS, startS3Server } from '../../../support/s3-server.ts';
import { makeAdminKey, startCloudProcess } from '../cloud-process.ts';
import type { CloudProcess } from '../cloud-process.ts';
import { waitFor } from '../wait-for.ts';
import { startRoundRobinProxy } from './round-robin-proxy.ts';
import type { RoundRobinProxy, RoundRobinProxyOptions } from './round-robin-proxy.ts';

export interface NodeClusterOptions extends Pick<RoundRobinProxyOptions, 'onRequest' | 'onSocket'> {
  /** How many; 3. */
  nodes?: number;
  /** The nodes reach PostgreSQL through a proxy in this process, which can be cut and frozen. */
  hasPostgresProxy?: boolean;
  /** More settings of the server, which has them unless `PLACARD_TEST_POSTGRES` names one that is there. */
  postgresSettings?: readonly string[];
  /** More arguments of each node. */
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** Node processes of one cloud, on a PostgreSQL database of their own, with an S3 server in this process, behind a proxy. */
export interface NodeCluster {
  /** Of the proxy, which is also the public URL. */
  readonly url: string;
  readonly adminKey: string;
  /** Of the database, without the proxy. */
  readonly databaseUrl: string;
  /** Those that run, by number: URL, process id, CPU time, memory. One that was killed stays until it is restarted. */
  readonly nodes: readonly CloudProcess[];
  readonly proxy: RoundRobinProxy;
  /** Null when `PLACARD_TEST_POSTGRES` names a server that is there. */
  readonly postgres: OwnPostgresServer | null;
  /** Null without `hasPostgresProxy`. */
  readonly postgresProxy: PostgresProxy | null;
  /** Kills a node without clean-up. */
  kill(node: number): Promise<void>;
  /** Starts a node that was killed; resolves when it is ready. */
  restart(node: number): Promise<void>;
  /** What a node has written, since its first start. */
  log(node: number): string;
  /** Ends everything and removes all data. */
  stop(): Promise<void>;
}

/** Starts the cloud with its nodes, and resolves when all are ready. */
export async function startNodeCluster(options: NodeClusterOptions = {}): Promise<NodeCluster> {
  const count = options.nodes ?? 3;
  const folder = mkdtempSync(join(tmpdir(), 'placard-nodes-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', removeFolder);
  /** What is to be ended, in this order. */
  const ends: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of ends.splice(0)) {
      await end();
    }
    removeFolder();
    process.removeListener('exit', removeFolder);
  };
  try {
    const { server, url: databaseUrl } = await createDatabase(ends, options.postgresSettings);
    const postgresProxy =
      options.hasPostgresProxy === true
        ? await startPostgresProxy(databaseUrl, (close) => void ends.unshift(close))
        : null;
    const s3 = await startS3Server(join(folder, 'objects'));
    ends.unshift(() => s3.stop());
    const ports: number[] = [];
    while (ports.length < count) {
      ports.push(await freePort());
    }
    const proxy = await startRoundRobinProxy({
      ...options,
      nodes: ports.map((port) => `http://127.0.0.1:${port}`),
    });
    ends.unshift(() => proxy.close());

    const adminKey = makeAdminKey();
    const logFile = (node: number) => join(folder, `node-${node}.log`);
    // Kept open: there may be no further file to open when a node has most to say.
    const logs = Array.from({ length: count }, (_, node) => openSync(logFile(node), 'a'));
    ends.unshift(async () => logs.forEach((log) => closeSync(log)));
    const start = async (node: number): Promise<CloudProcess> => {
      const dataDir = join(folder, `node-${node}`);
      mkdirSync(dataDir, { recursive: true });
      const cloud = await startCloudProcess({
        dataDir,
        port: ports[node]!,
        adminKey,
        args: [
          `--public-url=${proxy.url}`,
          '--trust-proxy=127.0.0.1/32',
          '--allow-address=127.0.0.1/32',
          `--blobs=s3://${s3.settings.bucket}/${s3.settings.prefix}`,
          `--s3-endpoint=${s3.url}`,
          '--s3-path-style',
          ...(options.args ?? []),
        ],
        env: { ...S3_CREDENTIALS, ...options.env, PLACARD_DATABASE: postgresProxy?.url ?? databaseUrl },
        onOutput: (text) => void writeSync(logs[node]!, text),
      });
      await waitFor(`node ${node} gets requests`, () => proxy.readyNodes().includes(node));
      return cloud;
    };
    // One after the other: the first one creates the tables and the Admin key.
    const nodes: CloudProcess[] = [];
    ends.unshift(async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    });
    for (let node = 0; node < count; node++) {
      nodes.push(await start(node));
    }
    return {
      url: proxy.url,
      adminKey,
      databaseUrl,
      nodes,
      proxy,
      postgres: server,
      postgresProxy,
      kill: async (node) => nodes[node]!.kill9(),
      async restart(node) {
        nodes[node] = await start(node);
      },
      log: (node) => readFileSync(logFile(node), 'utf8'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** An empty database on a server of its own, or on that of `PLACARD_TEST_POSTGRES`. */
async function createDatabase(
  ends: (() => Promise<void>)[],
  settings?: readonly string[],
): Promise<{ server: OwnPostgresServer | null; url: string }> {
  const given = process.env['PLACARD_TEST_POSTGRES'];
  const server = given === undefined || given === '' ? await startPostgres(settings) : null;
  if (server) {
    ends.unshift(() => server.stop());
  }
  const serverUrl = server?.url ?? given;
  const name = `placard_nodes_${crypto.randomUUID()}`;
  const url = new URL(serverUrl!);
  const administer = async (statement: string) => {
    const admin = new Client(serverUrl);
    await admin.connect();
    try {
      await admin.query(statement);
    } finally {
      await admin.end();
    }
  };
  await administer(`create database "${name}" template template0 encoding 'UTF8'`);
  if (!server) {
    ends.unshift(() => administer(`drop database "${name}" with (force)`));
  }
  url.pathname = name;
  return { server, url: url.href };
}
