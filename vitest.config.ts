import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Tests with real processes mostly wait, so even two cores run four files at a time. */
const MAX_WORKERS = Math.max(4, availableParallelism());

/** Hundreds of tests start programs from their sources; compiled ones start in a third of the time. */
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

/** For tests that measure times or need the whole machine: one file at a time, after all others. */
const ALONE = { fileParallelism: false, sequence: { groupOrder: 1 } };

/** End-to-end tests that measure when a picture is on the screen. */
const PICTURES = ['test/e2e/stage.test.ts'];
const SOAK = ['test/e2e/*-soak.test.ts', 'test/e2e/kills.test.ts'];

const BESIDE_SOURCES = ['packages/*/src', 'packages/{protocol,schedule}/test', 'src', 'renderer'];
const besideSources = (suffix: string) => BESIDE_SOURCES.map((folder) => `${folder}/**/*${suffix}.test.ts`);

const DATABASE = 'packages/cloud/src/database';
/** What there is with SQLite alone: all other tests of the database also run on PostgreSQL. */
const SQLITE_ONLY = [
  'checkpoints',
  'credentials',
  'device-reads',
  'known-devices',
  'maintenance',
  'manifest-inputs',
  'open-database',
  'prepare-once',
  'recent-samples',
  'silent-devices',
  'sqlite-dialect',
  'migrations/rows-that-are-read',
].map((name) => `${DATABASE}/${name}.test.ts`);

/** What `npm test` runs of the project `postgres`. */
const POSTGRES_CORE = [
  'packages/cloud/test/postgres/cloud-on-postgres',
  `${DATABASE}/postgres/postgres-storage.postgres`,
].map((name) => `${name}.test.ts`);

/** Tests of other parts that depend on what each engine does in its own way. */
const ON_BOTH_ENGINES = ['connect-recorder', 'heartbeat-intake', 'play-intake', 'presence'].map(
  (name) => `packages/cloud/src/gateway/${name}.test.ts`,
);

/** The programs that the cloud starts for media are those of the build. */
const BUILT_PROCESSES = { setupFiles: ['packages/cloud/test/support/built-processes.ts'] };
const POSTGRES_SETUP = 'packages/cloud/test/support/postgres-setup.ts';
const S3_SETUP = 'packages/cloud/test/support/s3-setup.ts';
const ON_POSTGRES = process.env['PLACARD_TEST_DATABASE'] === 'postgres';
const HAS_NODES = process.env['PLACARD_TEST_NODES'] !== undefined;
/** Only the tests that are left out by name with several nodes. */
const IS_ONE_NODE_ONLY = process.env['PLACARD_TEST_ONE_NODE'] !== undefined;
const ENGINE_SETUP = ON_POSTGRES ? [POSTGRES_SETUP, ...(HAS_NODES ? [S3_SETUP] : [])] : [];
/** What there is with a database in the data folder alone, or does not depend on the database. */
const SQLITE_CLOUD_ONLY = [
  'command-line',
  'corpus',
  'full-disk',
  'migration',
  'operations-kill',
  'start',
].map((name) => `packages/cloud/test/${name}.test.ts`);

const trialFiles = (...names: string[]) => names.map((name) => `packages/cloud/test/trials/${name}.test.ts`);
/** Trials that read or fill the disk of SQLite, that have PostgreSQL anyway, or no database. */
const SQLITE_TRIALS = trialFiles('kill', 'hostile', 'power-cut', 'move', 'nodes', 'node-cluster', 'media');
/** Trials with limits of times and memory. */
const MEASURED_TRIALS = trialFiles('alerts', 'media', 'upload', 'uploads');

/** What the tests of the API expect of one node alone, with the reason: files, or beginnings of the names of tests. */
const ONE_NODE_ONLY = [
  // Connections, memory and shutdown of one process.
  'packages/cloud/test/connections.test.ts',
  'packages/cloud/test/drain.test.ts',
  'packages/cloud/test/metrics.test.ts',
  'packages/cloud/test/traces.test.ts',
  // Media in the data folder.
  'a video without a possible thumbnail',
  'files are deleted an hour after the last asset',
  'the old file is deleted an hour after',
  'no file is deleted while a newer version',
  'a damaged file or thumbnail is replaced',
  'the clean-up deletes pictures of 30 days ago',
  'the clean-up deletes logs of 30 days ago',
  // Limits that each node counts for itself (ADR 0028).
  'packages/cloud/test/daily-quotas.test.ts',
  'packages/cloud/test/play-quotas.test.ts',
  'packages/cloud/test/wrong-keys.test.ts',
  'an address that tries many keys is throttled',
  'a device may make 120 requests a minute',
  'a device is refused from the next heartbeat on when it was removed, and when it is over its limit',
  'plays over the daily quota are rejected',
  'a device that floods with',
  'a device over its message limit',
  'too many concurrent reports are rejected',
  'HEAD of the export reads no plays',
  'a key may run four imports at a time',
  'each key may run eight uploads at a time',
  // Sockets that a screen opens on two nodes in the same moment may both stay (ADR 0028); `nodes.test.ts` has the others.
  'a newer socket replaces the older one',
];
/** For machines on which others compute as well: ten times what the slowest of them take on one that is idle. */
const PATIENT = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // Of Vitest itself it is a second.
  expect: { poll: { timeout: 60_000 } },
};
/**
 * One file after the other in the same process, which imports what they share once; that takes longer than most files. For
 * tests that leave neither globals nor modules changed.
 */
const SHARED = { isolate: false };
const onPostgres = { globalSetup: [POSTGRES_SETUP], ...PATIENT };
const isFile = (each: string) => each.endsWith('.test.ts');
const ONE_NODE_NAMES = ONE_NODE_ONLY.filter((each) => !isFile(each)).join('|');

const trials = { ...PATIENT, testTimeout: 300_000 };
const notOnThisEngine = ON_POSTGRES ? SQLITE_TRIALS : [];

const endToEnd = {
  ...PATIENT,
  globalSetup: ['test/e2e/build-page.ts'],
  testTimeout: 240_000,
};

/**
 * `CONTRIBUTING.md` says what each project holds and how long it takes. `npm test` runs all but `postgres`, the
 * trials and `soak`.
 */
export default defineConfig({
  test: {
    maxWorkers: MAX_WORKERS,
    globalSetup: ['scripts/build-cloud.ts'],
    ...(HAS_NODES && { testNamePattern: new RegExp(`^(?!(${ONE_NODE_NAMES}))`) }),
    ...(IS_ONE_NODE_ONLY && { testNamePattern: new RegExp(`^(${ONE_NODE_NAMES})`) }),
    projects: [
      {
        test: {
          ...SHARED,
          name: 'unit',
          include: [...besideSources(''), 'test/*.test.ts'],
          exclude: besideSources('.{simulation,integration,postgres}'),
          setupFiles: ['test/support/no-processes.ts'],
          ...PATIENT,
        },
      },
      // Days on a manual clock, and comparisons over many seeded cases.
      {
        test: { ...PATIENT, ...SHARED, name: 'simulation', include: besideSources('.simulation') },
      },
      // Real processes, sockets and full disks.
      {
        test: {
          ...PATIENT,
          ...BUILT_PROCESSES,
          name: 'integration',
          include: besideSources('.integration'),
        },
      },
      { test: { ...PATIENT, name: 'contract', include: ['test/contract/**/*.test.ts'] } },
      // A real cloud, called over HTTP; with PLACARD_TEST_DATABASE=postgres its database is on a real PostgreSQL.
      {
        test: {
          ...PATIENT,
          ...SHARED,
          ...BUILT_PROCESSES,
          name: 'cloud-api',
          include: ['packages/cloud/test/*.test.ts'],
          exclude: ON_POSTGRES
            ? [...SQLITE_CLOUD_ONLY, ...(HAS_NODES ? ONE_NODE_ONLY.filter(isFile) : [])]
            : [],
          globalSetup: ENGINE_SETUP,
        },
      },
      // The client and its command line against a real cloud.
      {
        test: {
          ...PATIENT,
          ...SHARED,
          name: 'client',
          include: ['packages/{client,cli}/test/*.test.ts'],
          globalSetup: ['scripts/build-cli.ts', ...ENGINE_SETUP],
        },
      },
      // Simulated devices and a real cloud.
      { test: { ...PATIENT, name: 'simulate', include: ['test/simulate/**/*.test.ts'] } },
      // What there is with PostgreSQL alone, and the unit tests of the database once more, on a real one.
      {
        test: {
          ...SHARED,
          ...BUILT_PROCESSES,
          name: 'postgres',
          include: [
            'packages/cloud/test/postgres/*.test.ts',
            'packages/cloud/src/**/*.postgres.test.ts',
            `${DATABASE}/**/*.test.ts`,
            ...ON_BOTH_ENGINES,
          ],
          exclude: [...SQLITE_ONLY, ...POSTGRES_CORE],
          ...onPostgres,
        },
      },
      { test: { name: 'postgres-core', include: POSTGRES_CORE, ...onPostgres } },
      // Real packages and real dpkg, in temporary root folders.
      {
        test: {
          ...PATIENT,
          name: 'packaging',
          include: ['test/{packaging,machine}/**/*.test.ts'],
          testTimeout: 180_000,
        },
      },
      // Real browsers and real processes.
      {
        test: {
          ...endToEnd,
          ...SHARED,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: [...PICTURES, ...SOAK],
        },
      },
      { test: { ...endToEnd, ...ALONE, name: 'pictures', include: PICTURES } },
      {
        test: {
          ...trials,
          name: 'trials',
          include: trialFiles('*'),
          exclude: [...MEASURED_TRIALS, ...notOnThisEngine],
        },
      },
      {
        test: {
          ...trials,
          ...ALONE,
          name: 'measured-trials',
          include: MEASURED_TRIALS,
          exclude: notOnThisEngine,
        },
      },
      { test: { ...endToEnd, ...ALONE, name: 'soak', include: SOAK } },
    ],
  },
});
