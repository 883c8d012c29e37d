import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import type { S3Settings } from '../blob/s3/s3-settings.ts';
import { systemClock } from '../system-clock.ts';
import { DEFAULT_MIN_FREE_BYTES, formatBytes } from '../domain/disk-state.ts';
import { createMediaInspector } from '../media/inspector.ts';
import { describeDatabase, inspectDatabase, requireDatabase } from '../database/maintenance.ts';
import type { DatabaseReport } from '../database/maintenance.ts';
import { describePostgres } from '../database/postgres-url.ts';
import { checkBlobs } from './check-blobs.ts';
import { failed, passed } from './finding.ts';
import type { Finding } from './finding.ts';

const MAX_CLOCK_SKEW_MS = 60_000;

/** Checks the data of a cloud, which may be running, without changing anything. */
export async function runDoctor(
  dataDir: string,
  nowMs: number,
  {
    videoDecoder = true,
    minFree = DEFAULT_MIN_FREE_BYTES,
    tzVersion = process.versions.tz,
    database,
    s3,
  }: {
    videoDecoder?: boolean;
    minFree?: number;
    tzVersion?: string;
    database?: string | undefined;
    s3?: S3Settings | undefined;
  } = {},
): Promise<Finding[]> {
  const { report, settings } = await inspect(dataDir, database);
  const { problems, newestMs, deviceZones } = report;
  return [
    problems.length === 0
      ? passed(
          'database',
          database === undefined
            ? 'The database is intact.'
            : `The database ${describePostgres(database)} answers, and its rows belong together; check its files with pg_amcheck.`,
        )
      : failed('database', `The database is damaged: ${problems.join('; ')}. Restore a backup.`),
    ...settings,
    ...(await checkBlobs(report, { dataDir, s3, place: describeDatabase(dataDir, database) })),
    await checkCodecs(dataDir, videoDecoder),
    await checkDisk(dataDir, minFree),
    newestMs !== null && newestMs > nowMs + MAX_CLOCK_SKEW_MS
      ? failed(
          'clock',
          `The clock of this machine is behind: the database contains ${new Date(newestMs).toISOString()}. Set the clock.`,
        )
      : passed('clock', `The clock says ${new Date(nowMs).toISOString()}.`),
    tzVersion === undefined
      ? failed('zones', 'This Node.js has no time zone data. Install one with full ICU.')
      : passed(
          'zones',
          `The time zone data has version ${tzVersion}; players get it with their manifests.${describeDeviceZones(deviceZones)}`,
        ),
  ];
}

interface Inspected {
  report: DatabaseReport;
  /** What the server of the database is set to, if it has one. */
  settings: Finding[];
}

async function inspect(dataDir: string, database: string | undefined): Promise<Inspected> {
  if (database === undefined) {
    return { report: inspectDatabase(requireDatabase(dataDir), { isInUse: true }), settings: [] };
  }
  const [{ openPostgresForReading }, { inspectPostgres }, { checkSettings }] = await Promise.all([
    import('../database/open-postgres.ts'),
    import('../database/postgres/inspect-postgres.ts'),
    import('../database/postgres/check-settings.ts'),
  ]);
  const db = await openPostgresForReading(database);
  try {
    const { problems, version, connections } = await checkSettings(db);
    const intact = `PostgreSQL ${version} keeps what it has acknowledged, and allows ${connections} connections; each node opens up to eleven.`;
    return {
      report: await inspectPostgres(db),
      settings:
        problems.length === 0
          ? [passed('settings', intact)]
          : problems.map((problem) => failed('settings', problem)),
    };
  } finally {
    await db.destroy();
  }
}

const CODEC_NAMES: Readonly<Record<string, string>> = {
  avc: 'H.264',
  hevc: 'HEVC',
  vp8: 'VP8',
  vp9: 'VP9',
  av1: 'AV1',
};

/** Which videos get a thumbnail. Playback does not depend on it. */
async function checkCodecs(dataDir: string, videoDecoder: boolean): Promise<Finding> {
  const inspector = createMediaInspector({
    clock: systemClock,
    log: pino({ level: 'silent' }),
    mediaDir: join(dataDir, 'blobs'),
    useDecoder: videoDecoder,
    processes: 1,
  });
  try {
    const { codecs, missing } = await inspector.codecs();
    const names = codecs.map((codec) => CODEC_NAMES[codec] ?? codec).join(', ');
    return passed(
      'codecs',
      missing === null || !videoDecoder
        ? `Thumbnails are made of videos in ${names}.`
        : `Thumbnails are made only of videos in ${names}: the optional decoder @mediabunny/server cannot be used ` +
            `(${missing.split('\n')[0]}). Install it with: npm install --include=optional`,
    );
  } catch {
    return failed(
      'codecs',
      'The process that inspects media files does not start, so uploads fail. Reinstall the cloud.',
    );
  } finally {
    await inspector.close();
  }
}

/** Versions of the players' own time zone data, used where the cloud's zone tables do not apply. */
function describeDeviceZones(zones: DatabaseReport['deviceZones']): string {
  if (zones.length === 0) {
    return '';
  }
  const counts = zones.map(({ version, devices }) => `${devices} × ${version ?? 'unknown'}`);
  return ` Versions on the devices: ${counts.join(', ')}.`;
}

/** Uploads are refused below `minFree`. */
async function checkDisk(dataDir: string, minFree: number): Promise<Finding> {
  if (!existsSync(dataDir)) {
    return failed('disk', `The data folder ${dataDir} does not exist. Name that of a node with --data.`);
  }
  const { bavail, bsize } = await statfs(dataDir);
  const free = formatBytes(bavail * bsize);
  return bavail * bsize < minFree
    ? failed(
        'disk',
        `Only ${free} are free; uploads are refused below ${formatBytes(minFree)} (--min-free). Free disk space.`,
      )
    : passed('disk', `${free} are free.`);
}
