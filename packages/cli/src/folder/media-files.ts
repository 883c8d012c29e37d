import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** A file that the cloud can take. */
export interface MediaFile {
  /** Path below the folder, with `/`: the name that the content gets. */
  name: string;
  path: string;
  size: number;
  modifiedMs: number;
}

const ENDINGS = new Set(
  ['jpg', 'jpeg', 'png', 'webp', 'gif', 'avif', 'mp4', 'mov', 'm4v', 'webm'].map((each) => `.${each}`),
);

/** The images and videos in a folder and below it, by name; nothing hidden, no links. */
export async function findMediaFiles(folder: string): Promise<MediaFile[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files: MediaFile[] = [];
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).split(sep).join('/');
    const isHidden = name.split('/').some((part) => part.startsWith('.'));
    if (!entry.isFile() || isHidden || !ENDINGS.has(extname(entry.name).toLowerCase())) {
      continue;
    }
    // It may be gone by now.
    const found = await stat(path).catch(() => null);
    if (found) {
      files.push({ name, path, size: found.size, modifiedMs: found.mtimeMs });
    }
  }
  return files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** SHA-256 of a file, hexadecimal. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, { signal });
  return hash.digest('hex');
}
