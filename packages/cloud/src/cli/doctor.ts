import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '../clock.ts';
import { createInspector } from '../media/inspector.ts';
import { inspectDatabase, requireDatabase } from '../store/maintenance.ts';
import type { NamedBlob } from '../store/maintenance.ts';

export interface Finding {
  ok: boolean;
  about: string;
  /** One sentence: what was found and, when it is wrong, what to do. */
  message: string;
}

const LITTLE_FREE_BYTES = 1_073_741_824;
const LONGEST_JUMP_MS = 60_000;

/** Looks through the data of a cloud, which may be running, without changing anything. */
export async function examine(
  dataDir: string,
  nowMs: number,
  {
    videoDecoder = true,
    tzVersion = process.versions.tz,
  }: { videoDecoder?: boolean; tzVersion?: string } = {},
): Promise<Finding[]> {
  const { problems, blobs, newestMs } = inspectDatabase(requireDatabase(dataDir));
  return [
    problems.length === 0
      ? good('database', 'The database is whole.')
      : bad('database', `The database is damaged: ${problems.join('; ')}. Restore a backup.`),
    ...(await examineBlobs(dataDir, blobs)),
    await examineCodecs(dataDir, videoDecoder),
    await examineDisk(dataDir),
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
          `The time zone data are of version ${tzVersion}; screens get them with their playlists.`,
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

async function examineDisk(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir);
  const free = bavail * bsize;
  const told = `${(free / 1_000_000_000).toFixed(1)} GB are free.`;
  return free < LITTLE_FREE_BYTES ? bad('disk', `Only ${told} Make room.`) : good('disk', told);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path, { highWaterMark: 1_048_576 })) hash.update(bytes);
  return hash.digest('hex');
}

const good = (about: string, message: string): Finding => ({ ok: true, about, message });
const bad = (about: string, message: string): Finding => ({ ok: false, about, message });
