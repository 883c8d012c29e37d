import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
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
export async function examine(dataDir: string, nowMs: number): Promise<Finding[]> {
  const { problems, blobs, newestMs } = inspectDatabase(requireDatabase(dataDir));
  return [
    problems.length === 0
      ? good('database', 'The database is whole.')
      : bad('database', `The database is damaged: ${problems.join('; ')}. Restore a backup.`),
    ...(await examineBlobs(dataDir, blobs)),
    await examineDisk(dataDir),
    newestMs !== null && newestMs > nowMs + LONGEST_JUMP_MS
      ? bad(
          'clock',
          `The clock of this machine is behind: the database knows ${new Date(newestMs).toISOString()}. Set the clock.`,
        )
      : good('clock', `The clock says ${new Date(nowMs).toISOString()}.`),
  ];
}

async function examineBlobs(dataDir: string, named: readonly NamedBlob[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  const wanted = new Map(named.map((blob) => [blob.sha256, blob]));
  for (const { sha256, size } of wanted.values()) {
    const path = join(dataDir, 'blobs', sha256.slice(0, 2), sha256);
    const found = existsSync(path) ? await stat(path) : null;
    if (!found) findings.push(bad('media', `The file ${sha256} is missing. Upload it again.`));
    else if (size !== null && found.size !== size)
      findings.push(
        bad('media', `The file ${sha256} has ${found.size} bytes instead of ${size}. Upload it again.`),
      );
    else if ((await hashOf(path)) !== sha256)
      findings.push(bad('media', `The file ${sha256} is damaged. Upload it again.`));
  }
  const held = await heldBlobs(dataDir);
  const spare = held.filter((sha256) => !wanted.has(sha256)).length;
  const more = spare > 0 ? ` ${spare} more are not used and will be cleaned up by the running cloud.` : '';
  if (findings.length === 0) findings.push(good('media', `All ${wanted.size} media files are whole.${more}`));
  return findings;
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
