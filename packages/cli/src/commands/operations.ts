import type { Operation } from '@placard/client';
import type { Command } from 'commander';
import { FAILURE_COLUMNS, UsageError } from '../output/failure.ts';
import type { Columns } from '../output/table.ts';
import { formatAction, readFailures } from '../run-operation.ts';
import type { OpenSession } from '../session.ts';

export const OPERATION_COLUMNS: Columns<Operation> = {
  ID: ({ id }) => id,
  ACTION: ({ action }) => formatAction(action),
  STATUS: ({ status }) => status,
  SCREENS: ({ total }) => total,
  SUCCEEDED: ({ succeeded }) => succeeded,
  FAILED: ({ failed }) => failed,
  BEGAN: ({ created_at: created }) => created,
};

const STATES = ['selecting', 'running', 'finished', 'cancelled'] as const;

export function addOperationCommands(program: Command, open: OpenSession): void {
  const operations = program.command('operations').description('what is done to many screens at once');
  operations
    .command('list', { isDefault: true })
    .description('the operations of the last days, newest first')
    .option('--status <status>', STATES.join(', '))
    .action(async ({ status: text }: { status?: string }) => {
      const { placard, out, signal } = await open();
      const status = STATES.find((each) => each === text);
      if (text !== undefined && !status) {
        throw new UsageError(`A status is ${STATES.join(', ')}.`);
      }
      out.list(await placard.operations.list({ status }, { signal }).toArray(), OPERATION_COLUMNS);
    });
  operations
    .command('show <id>')
    .description('how far it is, and the screens that could not do it')
    .action(async (id: string) => {
      const session = await open();
      const { placard, out, signal } = session;
      const operation = await placard.operations.get(id, { signal });
      const failures = await readFailures(session, operation);
      if (out.json) {
        return out.one({ ...operation, failures });
      }
      out.list([operation], OPERATION_COLUMNS);
      if (failures.length > 0) {
        out.list(failures, FAILURE_COLUMNS);
      }
    });
  operations
    .command('cancel <id>')
    .description('leave out the screens whose turn has not come')
    .action(async (id: string) => {
      const { placard, out, signal } = await open();
      const operation = await placard.operations.cancel(id, { signal });
      const { status, succeeded, total } = operation;
      out.done(`It is ${status}; ${succeeded} of ${total} screens are done.`, operation);
    });
}
