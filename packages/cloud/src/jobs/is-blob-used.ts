import type { Repositories } from '../database/cloud-database.ts';

const USERS = ['assets', 'renditions', 'screenshots', 'faultScreenshots', 'deviceLogs'] as const;

/** Whether a row has these bytes. */
export async function isBlobUsed(
  repositories: Pick<Repositories, (typeof USERS)[number]>,
  sha256: string,
): Promise<boolean> {
  for (const rows of USERS) {
    if (await repositories[rows].isBlobUsed(sha256)) {
      return true;
    }
  }
  return false;
}
