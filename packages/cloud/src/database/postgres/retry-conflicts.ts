import { errorCode } from '../../domain/error-details.ts';

/** `serialization_failure` and `deadlock_detected`: the same again succeeds. */
const CONFLICTS: readonly (string | undefined)[] = ['40001', '40P01'];
const MAX_ATTEMPTS = 3;

/** Runs a transaction again that was rolled back because of others. */
export async function retryConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !CONFLICTS.includes(errorCode(error))) {
        throw error;
      }
    }
  }
}
