import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Client } from 'pg';
import type { SeededRandom } from '../../../../test/support/seeded-random.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import { MOVED_TABLES } from '../../src/move/tables.ts';
import { createFilledDataFolder } from '../support/filled-data-folder.ts';
import type { FilledSizes } from '../support/filled-data-folder.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { S3_CREDENTIALS, startS3Server } from '../support/s3-server.ts';
import type { S3Server } from '../support/s3-server.ts';
import { CLOUD_MAIN, NODE_FLAGS } from './support/cloud-process.ts';
import { assert } from './support/contract-violation.ts';

const WITHIN_MS = 3_600_000;
const POLL_MS = 10;

export interface MoveTrialOptions {
  sizes: FilledSizes;
  /** How often the move is killed: first while it copies files, then while it copies rows, at last while it compares. */
  kills: number;
  random: SeededRandom;
  onStep?: (step: string) => void;
}

interface RunReport {
  /** Where it was killed; null at its end. */
  killedIn: string | null;
  seconds: number;
  peakRssMiB: number;
}

export interface MoveTrialReport {
  rows: number;
  mediaMB: number;
  runs: RunReport[];
  seconds: number;
  /** What the last run has printed. */
  output: string[];
}

/** Moves a large cloud to PostgreSQL and S3, kills the move at random moments, and compares at the end. */
export async function moveTrial({
  sizes,
  kills,
  random,
  onStep,
}: MoveTrialOptions): Promise<MoveTrialReport> {
  const folder = mkdtempSync(join(tmpdir(), 'placard-move-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const postgres = await startPostgres();
  const s3 = await startS3Server(join(folder, 'objects'));
  const database = new Client(postgres.url);
  await database.connect();
  try {
    const dataDir = join(folder, 'data');
    await createFilledDataFolder(dataDir, sizes);
    onStep?.('the data folder is filled');
    const context: Context = { dataDir, url: postgres.url, s3, database, sizes, random };
    const runs: RunReport[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const [name, moment] = MOMENTS[Math.floor((kill * MOMENTS.length) / kills)]!;
      const { seconds, peakRssMiB } = await runUntil(context, await moment(context));
      runs.push({ killedIn: name, seconds, peakRssMiB });
      onStep?.(`killed while ${name}, after ${seconds} s`);
    }
    const last = await runUntil(context, null);
    runs.push({ killedIn: null, seconds: last.seconds, peakRssMiB: last.peakRssMiB });
    onStep?.(`ended after ${last.seconds} s`);
    const rows = await requireComplete(context);
    return {
      rows,
      mediaMB: Math.round((sizes.mediaFiles * sizes.bytesPerFile) / 1e6),
      runs,
      seconds: runs.reduce((sum, { seconds }) => sum + seconds, 0),
      output: last.output.trimEnd().split('\n'),
    };
  } finally {
    await database.end();
    await s3.stop();
    await postgres.stop();
    remove();
    process.removeListener('exit', remove);
  }
}

interface Context {
  dataDir: string;
  url: string;
  s3: S3Server;
  database: Client;
  sizes: FilledSizes;
  random: SeededRandom;
}

/** Whether the moment has come, with what the run has printed. */
type HasCome = (output: string) => boolean | Promise<boolean>;

/** Files, or parts of 8 MB of them. */
const sentParts = ({ requests }: S3Server) =>
  requests.filter((each) => /^PUT .*\/[0-9a-f]{64}\//.test(each)).length;

async function copiedRows({ database }: Context): Promise<number> {
  const { rows } = await database
    .query<{ rows: string | null }>(
      `select sum((state::json ->> 'rows')::bigint) as rows from unfinished_move where step <> 'source'`,
    )
    .catch(() => ({ rows: [] }));
  return Number(rows[0]?.rows ?? 0);
}

const MOMENTS: [name: string, moment: (context: Context) => Promise<HasCome>][] = [
  [
    'copying files',
    async ({ s3, sizes, random }) => {
      const parts = sentParts(s3) + random.int(1, Math.floor(sizes.mediaFiles / 3));
      return () => sentParts(s3) >= parts;
    },
  ],
  [
    'copying rows',
    async (context) => {
      const rows = (await copiedRows(context)) + context.random.int(1, Math.floor(context.sizes.plays / 4));
      return async () => (await copiedRows(context)) >= rows;
    },
  ],
  ['comparing', async () => (output) => output.includes('\nRows ')],
];

/** Starts the command; kills it when the moment has come, or waits for its end. */
async function runUntil({ dataDir, url, s3 }: Context, hasCome: HasCome | null) {
  const { bucket, prefix, endpoint } = s3.settings;
  const location = ['--blobs', `s3://${bucket}/${prefix}`, '--s3-endpoint', endpoint, '--s3-path-style'];
  const startMs = performance.now();
  const child = spawn(process.execPath, [...NODE_FLAGS, CLOUD_MAIN, 'move', '--data', dataDir, ...location], {
    env: { ...process.env, ...S3_CREDENTIALS, PLACARD_DATABASE: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  const closed = once(child, 'close');
  let peakRssMiB = 0;
  const hasEnded = () => child.exitCode !== null;
  await waitUntil(
    'the moment',
    async () => {
      peakRssMiB = Math.max(peakRssMiB, peakRssOf(child.pid));
      return hasEnded() || (hasCome && (await hasCome(output)));
    },
    WITHIN_MS,
    POLL_MS,
  );
  assert(hasEnded() === (hasCome === null), 'the move did not end when it should', { output, errors });
  child.kill('SIGKILL');
  await closed;
  assert(hasCome !== null || child.exitCode === 0, 'the move failed', { output, errors });
  return { output, seconds: Math.round((performance.now() - startMs) / 100) / 10, peakRssMiB };
}

function peakRssOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0; // It has ended, or the system has no such file.
  }
}

/** Counts without the code of the move, which has compared all values. Returns the number of rows. */
async function requireComplete({ dataDir, database, s3, sizes }: Context): Promise<number> {
  const source = new Sqlite(join(dataDir, 'cloud.sqlite'), { readonly: true });
  let total = 0;
  try {
    for (const [table, { view = table }] of MOVED_TABLES) {
      const rows = source.prepare<[], number>(`select count(*) from ${view}`).pluck().get() ?? 0;
      const moved = await database.query<{ count: string }>(`select count(*) from ${table}`);
      assert(Number(moved.rows[0]?.count) === rows, `${table} is not complete`, moved.rows);
      total += rows;
    }
  } finally {
    source.close();
  }
  const hashes = (await s3.keys()).flatMap((key) => /\/([0-9a-f]{64})\//.exec(key)?.[1] ?? []);
  assert(new Set(hashes).size === sizes.mediaFiles, 'files are missing in the bucket', hashes.length);
  return total;
}
