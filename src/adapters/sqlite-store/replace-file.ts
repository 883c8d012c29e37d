import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file that its owner alone may read, as a whole: a power cut leaves the old one or the new one. */
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
