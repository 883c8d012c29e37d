import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Syncs a folder, which makes renames in it durable. Windows cannot open folders and does not need it. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') {
    return;
  }
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
