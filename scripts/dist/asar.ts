import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

interface Entry {
  files?: Record<string, Entry> | undefined;
  size?: number | undefined;
  /** Where the file begins, as a decimal number; absent for a file that is unpacked beside the archive. */
  offset?: string | undefined;
}
const entry: z.ZodType<Entry> = z.object({
  files: z
    .record(
      z.string(),
      z.lazy(() => entry),
    )
    .optional(),
  size: z.number().optional(),
  offset: z.string().optional(),
});

/** The files of an Electron archive: path with slashes to content, null for files unpacked beside the archive. */
export function readAsar(path: string): Map<string, Buffer | null> {
  const bytes = readFileSync(path);
  // Two nested byte counts, then the length of the JSON header.
  const base = 8 + bytes.readUInt32LE(4);
  const header = entry.parse(JSON.parse(bytes.toString('utf8', 16, 16 + bytes.readUInt32LE(12))));
  const files = new Map<string, Buffer | null>();
  const walk = (folder: Entry, prefix: string): void => {
    for (const [name, each] of Object.entries(folder.files ?? {})) {
      if (each.files) {
        walk(each, `${prefix}${name}/`);
      } else if (each.offset === undefined) {
        files.set(prefix + name, null);
      } else {
        const start = base + Number(each.offset);
        files.set(prefix + name, bytes.subarray(start, start + (each.size ?? 0)));
      }
    }
  };
  walk(header, '');
  return files;
}

/** Writes the files of the archive into a folder, except those that are unpacked beside it. */
export function extractAsar(path: string, folder: string): void {
  for (const [name, bytes] of readAsar(path)) {
    if (bytes === null) {
      continue;
    }
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
}
