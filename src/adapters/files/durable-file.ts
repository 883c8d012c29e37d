import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file atomically and durably, readable by its owner only: a power cut leaves the old or the new content, and
 * the new one once this has returned.
 */
export async function writeDurably(path: string, content: string | Buffer): Promise<void> {
  {
    await using file = await open(`${path}.new`, 'w', 0o600);
    await file.writeFile(content);
    await file.sync();
  }
  await rename(`${path}.new`, path);
  await syncFolder(dirname(path));
}

/** `writeDurably` for callers that cannot wait. */
export function writeDurablySync(path: string, content: string): void {
  const file = openSync(`${path}.new`, 'w', 0o600);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
  syncFolderSync(dirname(path));
}

/** Makes renames and deletions in a folder durable. Windows cannot open folders and does not need it. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') {
    return;
  }
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** `syncFolder` for callers that cannot wait. */
export function syncFolderSync(folder: string): void {
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
