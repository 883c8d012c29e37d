import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '../clock.ts';
import { DEFAULT_MIN_FREE_BYTES, sizeText } from '../domain/disk-state.ts';
import { createInspector } from '../media/inspector.ts';
import { inspectDatabase, requireDatabase } from '../store/maintenance.ts';
import type { DatabaseReport, NamedBlob } from '../store/maintenance.ts';

export interface Finding {
  ok: boolean;
  about: string;
  /** One sentence: what was found and, when it is wrong, what to do. */
  message: string;
}

const LONGEST_JUMP_MS = 60_000;

/** Looks through the data of a cloud, which may be running, without changing anything. */
export async function examine(
  dataDir: string,
  nowMs: number,
  {
    videoDecoder = true,
    minFree = DEFAULT_MIN_FREE_BYTES,
    tzVersion = process.versions.tz,
  }: { videoDecoder?: boolean; minFree?: number; tzVersion?: string } = {},
): Promise<Finding[]> {
  const { problems, blobs, newestMs, deviceZones } = inspectDatabase(requireDatabase(dataDir));
  return [
    problems.length === 0
      ? good('database', 'The database is whole.')
      : bad('database', `The database is damaged: ${problems.join('; ')}. Restore a backup.`),
    ...(await examineBlobs(dataDir, blobs)),
    await examineCodecs(dataDir, videoDecoder),
    await examineDisk(dataDir, minFree),
    newestMs !== null && newestMs > nowMs + LONGEST_JUMP_MS
      ? bad(
          'clock',
          `The clock of this machine is behind: the database knows ${new Date(newestMs).toISOString()}. Set the clock.`,
        )
      : good('clock', `The clock says ${new Date(nowMs).toISOString()}.`),
    tzVersion === undefined
      ? bad('zones', 'This Node has no time zone data. Install one with full ICU.')
      : good(
          'zones',
          `The time zone data are of version ${tzVersion}; screens get them with their playlists.${ownZonesOf(deviceZones)}`,
        ),
  ];
}

async function examineBlobs(dataDir: string, named: readonly NamedBlob[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  const wanted = new Map(named.map((blob) => [blob.sha256, blob]));
  for (const { sha256, size, asset, isThumbnail } of wanted.values()) {
    const advice = `Upload ${JSON.stringify(asset)} again${isThumbnail ? ', which makes its small picture anew' : ''}; the new file takes its place.`;
    const path = join(dataDir, 'blobs', sha256.slice(0, 2), sha256);
    const found = existsSync(path) ? await stat(path) : null;
    if (!found) findings.push(bad('media', `The file ${sha256} is missing. ${advice}`));
    else if (size !== null && found.size !== size)
      findings.push(bad('media', `The file ${sha256} has ${found.size} bytes instead of ${size}. ${advice}`));
    else if ((await hashOf(path)) !== sha256)
      findings.push(bad('media', `The file ${sha256} is damaged. ${advice}`));
  }
  const held = await heldBlobs(dataDir);
  const spare = held.filter((sha256) => !wanted.has(sha256)).length;
  const more = spare > 0 ? ` ${spare} more are not used and will be cleaned up by the running cloud.` : '';
  if (findings.length === 0) findings.push(good('media', `All ${wanted.size} media files are whole.${more}`));
  return findings;
}

const CODEC_NAMES: Readonly<Record<string, string>> = {
  avc: 'H.264',
  hevc: 'HEVC',
  vp8: 'VP8',
  vp9: 'VP9',
  av1: 'AV1',
};

/** Which videos get a small picture. None of it is needed to play them. */
async function examineCodecs(dataDir: string, videoDecoder: boolean): Promise<Finding> {
  const media = createInspector({
    clock: systemClock,
    log: pino({ level: 'silent' }),
    readable: join(dataDir, 'blobs'),
    decoder: videoDecoder,
    processes: 1,
  });
  try {
    const { codecs, missing } = await media.codecs();
    const names = codecs.map((codec) => CODEC_NAMES[codec] ?? codec).join(', ');
    return good(
      'codecs',
      missing === null || !videoDecoder
        ? `Videos coded as ${names} get a small picture.`
        : `Only videos coded as ${names} get a small picture: the optional decoder @mediabunny/server cannot be used ` +
            `(${missing.split('\n')[0]}). Install it with: npm install --include=optional`,
    );
  } catch {
    return bad(
      'codecs',
      'The process that looks at files does not start, so no upload works. Reinstall the cloud.',
    );
  } finally {
    await media.close();
  }
}

async function heldBlobs(dataDir: string): Promise<string[]> {
  const dir = join(dataDir, 'blobs');
  if (!existsSync(dir)) return [];
  const folders = (await readdir(dir)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  return (await Promise.all(folders.map((name) => readdir(join(dir, name))))).flat();
}

/** Which version screens have themselves: it serves where this cloud sent none. */
function ownZonesOf(zones: DatabaseReport['deviceZones']): string {
  if (zones.length === 0) return '';
  const counts = zones.map(({ version, devices }) => `${devices} × ${version ?? 'not told'}`);
  return ` Their own: ${counts.join(', ')}.`;
}

/** `minFree`: below it uploads are refused. */
async function examineDisk(dataDir: string, minFree: number): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir);
  const free = sizeText(bavail * bsize);
  return bavail * bsize < minFree
    ? bad(
        'disk',
        `Only ${free} are free; uploads are refused below ${sizeText(minFree)} (--min-free). Make room.`,
      )
    : good('disk', `${free} are free.`);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path, { highWaterMark: 1_048_576 })) hash.update(bytes);
  return hash.digest('hex');
}

const good = (about: string, message: string): Finding => ({ ok: true, about, message });
const bad = (about: string, message: string): Finding => ({ ok: false, about, message });
