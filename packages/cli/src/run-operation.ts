import { setTimeout } from 'node:timers/promises';
import type { Body, Operation, OperationResult } from '@placard/client';
import { UsageError } from './output/failure.ts';
import { createProgress } from './output/progress.ts';
import type { Session } from './session.ts';

/** Between two questions how far it is. A few screens take no time; a key has 100 questions a minute for all that it reads. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 1000;

/**
 * Does the same to many screens and waits until all of them are done, with a bar. Throws when there are no such screens; what
 * a screen could not do is in its result. Interrupting the program does not cancel the operation.
 */
export async function runOperation(
  { placard, out, signal }: Session,
  label: string,
  request: Body<'createOperation'>,
): Promise<{ operation: Operation; results: OperationResult[] }> {
  let operation = await placard.operations.create(request, { signal });
  const progress = createProgress(label, out.json);
  try {
    for (let waitMs = FIRST_WAIT_MS; operation.finished_at === null; waitMs *= 2) {
      progress.update(operation.succeeded + operation.failed, operation.total);
      await setTimeout(Math.min(waitMs, LONGEST_WAIT_MS), undefined, { signal });
      operation = await placard.operations.get(operation.id, { signal });
    }
  } finally {
    progress.end();
  }
  if (operation.total === 0) {
    throw new UsageError('There are no such screens.', 'notFound');
  }
  return {
    operation,
    results: await placard.operations.listResults(operation.id, {}, { signal }).toArray(),
  };
}
