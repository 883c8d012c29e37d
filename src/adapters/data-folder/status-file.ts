import { rename, writeFile } from 'node:fs/promises';
import type { StatusFile } from '../../core/ports.ts';

/** Replaces the file atomically, so that a reader never sees half of it. Its loss does no harm, so it is not synced. */
export function createStatusFile(deps: { file: string }): StatusFile {
  const next = `${deps.file}.next`;
  return {
    async write(status) {
      await writeFile(next, `${JSON.stringify(status, null, 2)}\n`);
      await rename(next, deps.file);
    },
  };
}
