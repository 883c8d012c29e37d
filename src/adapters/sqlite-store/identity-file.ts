import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Identity, Log } from '../../core/ports.ts';

const identities = z.record(z.string(), z.object({ deviceId: z.string(), deviceToken: z.string() }));

/**
 * The second copy of who this player is, by server: when the database is damaged, the screen need not be paired
 * again. Readable by its owner only, and replaced as a whole, so that a power cut leaves the old or the new one.
 */
export function createIdentityFile(deps: { file: string; log: Log }) {
  const { file, log } = deps;

  const readAll = (): Record<string, Identity> => {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      return {};
    }
    try {
      return identities.parse(JSON.parse(text));
    } catch (error) {
      log.warn({ file, error: String(error) }, 'identity.unreadable');
      return {};
    }
  };

  const writeAll = (all: Record<string, Identity>) => {
    const next = `${file}.next`;
    const handle = openSync(next, 'w', 0o600);
    try {
      writeSync(handle, JSON.stringify(all, null, 2));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(next, file);
    syncFolder(dirname(file));
  };

  return {
    read: (server: string): Identity | null => readAll()[server] ?? null,
    write(server: string, identity: Identity): void {
      writeAll({ ...readAll(), [server]: identity });
    },
    erase(server: string): void {
      const { [server]: gone, ...rest } = readAll();
      if (gone) writeAll(rest);
    },
  };
}

/** A rename is on the disk once its folder is; Windows cannot open folders and needs none of it. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
