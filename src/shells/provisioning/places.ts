import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Name of the file that a technician puts onto a boot partition or a USB stick. */
export const PROVISIONING_FILE = 'placard.json';

const DRIVES = 'DEFGHIJKLMNOPQRSTUVWXYZ'.split('');

/**
 * Every `placard.json` of this machine, the one that counts most first: what the service has put into the data folder,
 * the boot partition, then sticks in order of their names. `root` is `/` but in tests.
 */
export function provisioningFiles(deps: { dataDir: string; platform: string; root?: string }): string[] {
  const { dataDir, platform, root = '/' } = deps;
  const under = (...parts: string[]) => join(root, ...parts);
  const folders =
    platform === 'win32'
      ? DRIVES.map((letter) => `${letter}:\\`)
      : [
          under('boot', 'firmware'),
          under('boot'),
          stickFolder(dataDir),
          ...[under('media'), under('run', 'media'), under('mnt')].flatMap(mounts),
        ];
  return [importFolder(dataDir), ...folders]
    .map((folder) => join(folder, PROVISIONING_FILE))
    .filter((path) => existsSync(path));
}

/** Where the service of an installed player puts what only root can read. */
export const importFolder = (dataDir: string): string => join(dataDir, 'import');

/** Where `placard-stick@.service` puts a copy of what a stick brings, on a system that mounts no sticks. */
export const stickFolder = (dataDir: string): string => join(importFolder(dataDir), 'stick');

/** The folder itself, what lies in it, and one deeper: `/mnt`, `/media/STICK`, `/media/user/STICK`. */
function mounts(folder: string): string[] {
  const below = foldersIn(folder);
  return [folder, ...below, ...below.flatMap(foldersIn)];
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name))
      .toSorted();
  } catch {
    return [];
  }
}
