import type { DiskMonitor } from '../disk/disk-monitor.ts';
import type { RenditionMaker } from '../media/rendition-maker.ts';
import type { JobDeps } from './deps.ts';

interface Deps extends Pick<JobDeps, 'database'> {
  disk: { status: () => Pick<ReturnType<DiskMonitor['status']>, 'state'> };
  maker: Pick<RenditionMaker, 'listUnfinished' | 'forget'>;
}

/**
 * Deletes the parts of renditions that nobody waits for: deleted, replaced, failed, or made by another node. All of them when they
 * are switched off, or disk space is low. For each node, because it may have been the leader.
 */
export async function forgetRenditions({ database, disk, maker }: Deps): Promise<void> {
  const unfinished = await maker.listUnfinished();
  if (unfinished.length === 0) {
    return;
  }
  const mayKeep = disk.status().state === 'ok' && (await database.organization.wantsRenditions());
  for (const work of unfinished) {
    if (!mayKeep || !(await database.renditions.isPending(work.kind, work.sha256))) {
      await maker.forget(work);
    }
  }
}
