import { errorCode } from '../../domain/error-details.ts';

/** `serialization_failure` and `deadlock_detected`: the same again succeeds. */
const CONFLICTS: readonly (string | undefined)[] = ['40001', '40P01'];
const CHECK_VIOLATION = '23514';
const MAX_ATTEMPTS = 3;

/**
 * Whether another transaction made a partition while a row waited to be written to the default one, which may no longer
 * hold it. Only a violated constraint of a table has a name.
 */
const isOfNewPartition = (error: unknown): boolean =>
  errorCode(error) === CHECK_VIOLATION &&
  error instanceof Error &&
  !('constraint' in error && error.constraint !== undefined);

/** Runs a transaction again that was rolled back because of others. */
export async function retryConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const isConflict = CONFLICTS.includes(errorCode(error)) || isOfNewPartition(error);
      if (attempt === MAX_ATTEMPTS || !isConflict) {
        throw error;
      }
    }
  }
}
