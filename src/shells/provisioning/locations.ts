import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Name of the file that a technician puts onto a boot partition or a USB stick. */
export const PROVISIONING_FILE = 'placard.json';

/** Where to look for such files. */
export interface ProvisioningLocation {
  dataDir: string;
  platform: string;
  /** Root of the file system; another one in tests. */
  root?: string;
}

const DRIVES = 'DEFGHIJKLMNOPQRSTUVWXYZ'.split('');

/**
 * Every `placard.json` of this machine by priority: copied into the data folder by the service, on the boot
 * partition, then on sticks in the order of their names.
 */
export function findProvisioningFiles({ dataDir, platform, root = '/' }: ProvisioningLocation): string[] {
  const under = (...parts: string[]) => join(root, ...parts);
  const folders =
    platform === 'win32'
      ? DRIVES.map((letter) => `${letter}:\\`)
      : [
          under('boot', 'firmware'),
          under('boot'),
          stickFolder(dataDir),
          ...[under('media'), under('run', 'media'), under('mnt')].flatMap(listMountFolders),
        ];
  return [importFolder(dataDir), ...folders]
    .map((folder) => join(folder, PROVISIONING_FILE))
    .filter((path) => existsSync(path));
}

/** Where the service of an installed player copies files that only root can read. */
export const importFolder = (dataDir: string): string => join(dataDir, 'import');

/** Where `placard-stick@.service` copies the files of a stick, on a system that does not mount sticks. */
export const stickFolder = (dataDir: string): string => join(importFolder(dataDir), 'stick');

/** The folder and two levels below it: `/mnt`, `/media/STICK`, `/media/user/STICK`. */
function listMountFolders(folder: string): string[] {
  const below = listFolders(folder);
  return [folder, ...below, ...below.flatMap(listFolders)];
}

function listFolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name))
      .toSorted();
  } catch {
    return [];
  }
}
