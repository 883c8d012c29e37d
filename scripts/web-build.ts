import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

const PAGE = 'index.html';

/** Compresses the files of a build once, and stores them only so. The page last: it says that all is there. */
export function compressBuild(folder: string): void {
  const files = globSync('**/*.{js,css,svg,html}', { cwd: folder });
  for (const file of files.toSorted((a, b) => Number(a === PAGE) - Number(b === PAGE))) {
    const path = resolve(folder, file);
    writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
    rmSync(path);
  }
}

/** When the newest of the files was written; 0 when there is none. */
export const newestMs = (patterns: readonly string[], folder: string): number =>
  Math.max(0, ...globSync(patterns, { cwd: folder }).map((file) => statSync(resolve(folder, file)).mtimeMs));
