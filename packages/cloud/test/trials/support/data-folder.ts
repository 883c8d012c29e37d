import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Every file of a data folder but the database and the lock, with its size. */
export async function filesIn(dataDir: string): Promise<Map<string, number>> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true }).catch(() => []);
  const found = new Map<string, number>();
  for (const entry of entries) {
    if (!entry.isFile() || entry.name.startsWith('cloud.')) continue;
    const file = join(entry.parentPath, entry.name);
    const size = await stat(file).then(
      (one) => one.size,
      () => null,
    );
    // Gone again between the two looks.
    if (size !== null) found.set(relative(dataDir, file), size);
  }
  return found;
}

export async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** The hash that a stored file is named for, or null when it is named otherwise. */
export const hashInName = (file: string): string | null => /[0-9a-f]{64}/.exec(basename(file))?.[0] ?? null;
