import { closeSync, fsyncSync, openSync } from 'node:fs';

/** A rename is on the disk once its folder is; Windows cannot open folders and needs none of it. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
