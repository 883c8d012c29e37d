import type { Logger } from 'pino';
import { storageFailureOf } from '../domain/storage-failure.ts';

/**
 * Records a batch in one transaction. Resolves with null if it failed, after logging why: then each item is recorded
 * alone, slowly, which must not stay unnoticed.
 *
 * A failure of the storage would also meet each item alone, one after the other, each after seconds of waiting for a
 * locked database. So all that are waiting are refused with it at once, and `refused` is returned.
 */
export async function recordTogether<T>(
  record: () => Promise<T>,
  {
    waiting,
    event,
    log,
  }: { waiting: () => readonly { fail: (error: unknown) => void }[]; event: string; log: Logger },
): Promise<T | null | 'refused'> {
  try {
    return await record();
  } catch (error) {
    if (storageFailureOf(error) === null) {
      log.error({ err: error }, event);
      return null;
    }
    waiting().forEach(({ fail }) => fail(error));
    return 'refused';
  }
}
