import type { Logger } from 'pino';
import { storageFailureOf } from '../domain/storage-failure.ts';

/**
 * Logs why a batch failed, whose items are then recorded one by one: slowly, so that it must not stay unnoticed. A failure
 * of the storage also fails each item, and is answered and logged there.
 */
export function logBatchFailure(error: unknown, event: string, log: Logger): void {
  if (storageFailureOf(error) === null) {
    log.error({ err: error }, event);
  }
}
