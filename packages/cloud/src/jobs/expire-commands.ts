import type { Clock } from '../domain/clock.ts';
import type { Row } from '../store/schema.ts';
import type { Store, Work } from '../store/store.ts';

/** So many in one transaction: each may be told to webhooks, and others have their turn in between. */
const EXPIRED_AT_ONCE = 100;

/** Gives up the commands whose time is over before their device took them on. */
export async function expireCommands({
  store,
  clock,
  notifyFinished,
}: {
  store: Pick<Store, 'commands' | 'transaction'>;
  clock: Pick<Clock, 'nowMs'>;
  notifyFinished: (work: Work, command: Row<'commands'>) => Promise<void>;
}): Promise<void> {
  const nowMs = clock.nowMs();
  while ((await store.commands.overdue(nowMs, 1)).length > 0)
    await store.transaction(async (work) => {
      for (const row of await work.commands.overdue(nowMs, EXPIRED_AT_ONCE)) {
        const change = { status: 'expired' as const, finished_at: nowMs };
        await work.commands.update(row.id, change);
        await notifyFinished(work, { ...row, ...change });
      }
    });
}
