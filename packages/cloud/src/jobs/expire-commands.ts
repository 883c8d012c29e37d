import type { JobDeps } from './deps.ts';

/** Commands per transaction: each may trigger webhook deliveries, and other work runs in between. */
const BATCH_SIZE = 100;

/** Marks commands as expired that their device did not acknowledge in time. */
export async function expireCommands({
  database,
  clock,
  recordCommandEvent,
}: Pick<JobDeps, 'database' | 'clock' | 'recordCommandEvent'>): Promise<void> {
  const nowMs = clock.nowMs();
  while ((await database.commands.listExpired(nowMs, 1)).length > 0) {
    await database.transaction(async (tx) => {
      for (const row of await tx.commands.listExpired(nowMs, BATCH_SIZE)) {
        const change = { status: 'expired' as const, finished_at: nowMs };
        await tx.commands.update(row.id, change);
        recordCommandEvent(tx, 'command.finished', { ...row, ...change });
      }
    });
  }
}
