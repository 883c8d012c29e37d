import type { Logger } from 'pino';
import { storageFailureOf } from '../domain/storage-failure.ts';

interface RecordTogetherOptions {
  /** Removes and returns all that are waiting, with those of the batch. Called when the storage has failed. */
  takeWaiting: () => readonly { fail: (error: unknown) => void }[];
  /** Of the log line that says why the batch failed. */
  event: string;
  log: Logger;
}

/**
 * Records a batch in one transaction. Resolves with null if it failed, after logging why: then each item is recorded
 * alone, slowly, which must not stay unnoticed.
 *
 * A failure of the storage would also meet each item alone, one after the other, each after seconds of waiting for a
 * locked database. So all that are waiting are refused with it at once, and `refused` is returned.
 */
export async function recordTogether<T>(
  record: () => Promise<T>,
  { takeWaiting, event, log }: RecordTogetherOptions,
): Promise<T | null | 'refused'> {
  try {
    return await record();
  } catch (error) {
    if (storageFailureOf(error) === null) {
      log.error({ err: error }, event);
      return null;
    }
    takeWaiting().forEach(({ fail }) => fail(error));
    return 'refused';
  }
}
