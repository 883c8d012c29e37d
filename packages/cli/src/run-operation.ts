import { setTimeout } from 'node:timers/promises';
import type { Body, NewOperation, Operation, OperationResult } from '@placard/client';
import { FAILURE_COLUMNS, SomeFailed, UsageError } from './output/failure.ts';
import { createProgress } from './output/progress.ts';
import { noteWarnings } from './output/warnings.ts';
import type { Session } from './session.ts';

/** Between two questions how far it is. A few screens take no time; a key that may write has 30 requests a minute for all its programs. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;

/**
 * Does the same to many screens and waits until all of them are done, with a bar. Throws when there are no such screens; what
 * a screen could not do is in its result. Interrupting the program does not cancel the operation.
 */
export async function runOperation(
  { placard, out, signal }: Session,
  request: Body<'createOperation'>,
): Promise<NewOperation> {
  const { warnings, ...begun } = await placard.operations.create(request, { signal });
  noteWarnings(out, warnings);
  let operation: Operation = begun;
  const progress = createProgress(formatAction(operation.action), out.json);
  try {
    for (let waitMs = FIRST_WAIT_MS; operation.finished_at === null; waitMs *= 2) {
      progress.update(operation.succeeded + operation.failed, operation.total);
      await setTimeout(Math.min(waitMs, LONGEST_WAIT_MS), undefined, { signal });
      operation = await placard.operations.get(operation.id, { signal });
    }
  } catch (error) {
    progress.end();
    out.note(`It goes on without this program; "placard operations cancel ${operation.id}" stops it.`);
    throw error;
  }
  progress.end();
  if (operation.total === 0 && operation.status === 'finished') {
    throw new UsageError('There are no such screens.', 'notFound');
  }
  return { ...operation, ...(warnings && { warnings }) };
}

/** The results of the screens that could not do it, or whose turn did not come before it was cancelled. */
export async function readFailures(
  { placard, signal }: Session,
  { id, succeeded, total, status }: Operation,
): Promise<OperationResult[]> {
  if (succeeded === total) {
    return [];
  }
  const read = (of: 'failed' | 'pending') =>
    placard.operations.listResults(id, { status: of }, { signal }).toArray();
  return [...(await read('failed')), ...(status === 'cancelled' ? await read('pending') : [])];
}

/** Throws, with what each of them says, when some screens failed. */
export async function requireSuccess(session: Session, operations: readonly Operation[]): Promise<void> {
  const failures: OperationResult[] = [];
  for (const each of operations) {
    failures.push(...(await readFailures(session, each)));
  }
  if (failures.length > 0) {
    throw new SomeFailed(failures, FAILURE_COLUMNS, Math.max(...operations.map(({ total }) => total)));
  }
}

/** `REBOOT`, `add tags`. */
export const formatAction = (action: Operation['action']): string =>
  action.type === 'command' ? action.command : action.type.replaceAll('_', ' ');
