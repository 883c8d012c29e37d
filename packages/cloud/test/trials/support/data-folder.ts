import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Says whose the media files are. */
const OWNER_FILE = join('blobs', 'cloud');

/** All files of a data folder except the database, the lock and the owner of the media, with their sizes. */
export async function listDataFiles(dataDir: string): Promise<Map<string, number>> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true }).catch(() => []);
  const found = new Map<string, number>();
  for (const entry of entries) {
    if (!entry.isFile() || entry.name.startsWith('cloud.')) {
      continue;
    }
    const file = join(entry.parentPath, entry.name);
    if (relative(dataDir, file) === OWNER_FILE) {
      continue;
    }
    const size = await stat(file).then(
      (one) => one.size,
      () => null,
    );
    // Deleted between listing and stat.
    if (size !== null) {
      found.set(relative(dataDir, file), size);
    }
  }
  return found;
}

export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** The hash in the name of a stored file, or null. */
export const hashInName = (file: string): string | null => /[0-9a-f]{64}/.exec(basename(file))?.[0] ?? null;
