import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file atomically, readable by its owner only: a power cut leaves the old or the new content. */
export function replaceFile(file: string, text: string): void {
  const next = `${file}.next`;
  const handle = openSync(next, 'w', 0o600);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(next, file);
}
