import { setImmediate } from 'node:timers/promises';
import type { IdKind } from '@placard/protocol';
import { FIRST_CURSOR } from '@placard/protocol/api';
import type { Logger } from 'pino';
import { actionOf, filterOf } from '../../database/bulk-operations.ts';
import type { DeviceOutcome } from '../../database/bulk-operations.ts';
import type { CloudDatabase, Transaction } from '../../database/cloud-database.ts';
import type { DeviceRow } from '../../database/devices.ts';
import type { Row } from '../../database/schema.ts';
import { ApiError } from '../../domain/api-error.ts';
import type { Clock } from '../../domain/clock.ts';
import type { CloudEvent } from '../../domain/events.ts';
import { storageFailureOf } from '../../domain/storage-failure.ts';
import { actorOfRow } from '../../http-server/actor-of-row.ts';
import type { AuditRecorder } from '../../http-server/operation-route.ts';
import { listByRevision } from '../devices/list-by-revision.ts';
import { requireDevice } from '../devices/device-detail.ts';
import { bindAction } from './actions.ts';
import type { BoundAction, Made } from './actions.ts';
import { presentOperation } from './present-operation.ts';

/** Devices that a filter finds at once. */
const SELECTED_AT_ONCE = 500;
/** Devices of one transaction, which is also limited by time: everybody else who writes waits for it. */
const DEVICES_PER_TURN = 50;
const MAX_TURN_MS = 20;
/** Between two events about how far an operation is. */
const PROGRESS_INTERVAL_MS = 1000;
/** Whose turns with the database these are. */
const OWNER = 'operations';

type OperationRow = Row<'bulk_operations'>;
type Failure = NonNullable<DeviceOutcome['error']>;

export interface OperationRunnerDeps {
  database: CloudDatabase;
  clock: Clock;
  log: Logger;
  newId: (kind: IdKind) => string;
  recordAudit: AuditRecorder;
  /** Whether this node is the one that works on operations. */
  isLeader: () => boolean;
}

/** What a device could not do although nothing spoke against it. */
class DeviceFailure extends Error {
  readonly position: number;

  constructor(position: number, cause: unknown) {
    super(`the device at ${position} failed`, { cause });
    this.position = position;
  }
}

/**
 * Works on the operations that have not finished, in turn, on the leader of the nodes. What was done for a device and that it
 * was done are one transaction, so a restart, or another leader, goes on with the next device.
 */
export function createOperationRunner({
  database,
  clock,
  log,
  newId,
  recordAudit,
  isLeader,
}: OperationRunnerDeps) {
  let running: Promise<void> | null = null;
  let isWanted = false;
  let isStopped = false;

  const select = async (before: OperationRow): Promise<void> => {
    const { revision, ...filter } = filterOf(before) ?? {};
    const cursor = before.cursor ?? FIRST_CURSOR;
    const query = { ...filter, cursor, page: 1, limit: SELECTED_AT_ONCE };
    const found = await (revision === undefined
      ? database.devices.list(query)
      : listByRevision(database, query, revision));
    await database.transaction(
      async (tx) => {
        const row = await tx.bulkOperations.lock(before.id);
        if (row?.status !== 'selecting' || row.cursor !== before.cursor) {
          return;
        }
        await tx.bulkOperations.addDevices(
          row.id,
          found.rows.map(({ id }) => id),
        );
        await tx.bulkOperations.update(row.id, {
          cursor: found.nextCursor,
          status: found.nextCursor === null ? 'running' : 'selecting',
        });
      },
      { owner: OWNER },
    );
  };

  /** `failures`: by position, of devices that failed in attempts that were rolled back. */
  const work = (id: string, failures: ReadonlyMap<number, Failure>) =>
    database.transaction(
      async (tx) => {
        const row = await tx.bulkOperations.lock(id);
        if (row?.status !== 'running') {
          return;
        }
        const nowMs = clock.nowMs();
        const action = bindAction(actionOf(row), {
          tx,
          nowMs,
          newId,
          recordAudit,
          audited: {
            caller: { actor: actorOfRow(row), deviceId: null, secret: null },
            ip: row.address,
            requestId: row.request_id,
          },
        });
        const outcomes: DeviceOutcome[] = [];
        const beganMs = performance.now();
        for (const { position, device_id } of await tx.bulkOperations.pending(id, DEVICES_PER_TURN)) {
          const { device, failure } = await checkDevice(tx, device_id, {
            known: failures.get(position),
            check: action.check,
          });
          const made: Made = device ? await applyTo(position, device, action.apply) : {};
          const { command_id = null, deployment_id = null } = made;
          outcomes.push({ position, error: failure, command_id, deployment_id });
          if (performance.now() - beganMs > MAX_TURN_MS) {
            break;
          }
        }
        await action.finish();
        await tell(tx, await tx.bulkOperations.finishDevices(row, outcomes, nowMs), nowMs);
      },
      { owner: OWNER },
    );

  const takeTurn = async (id: string): Promise<void> => {
    const row = await database.bulkOperations.find(id);
    if (row?.status === 'selecting') {
      await select(row);
      return;
    }
    const failures = new Map<number, Failure>();
    for (let isDone = false; !isDone;) {
      try {
        await work(id, failures);
        isDone = true;
      } catch (error) {
        // Once more without this device: what it has written is rolled back.
        if (!(error instanceof DeviceFailure) || storageFailureOf(error.cause) !== null) {
          throw error instanceof DeviceFailure ? error.cause : error;
        }
        failures.set(error.position, describe(error.cause, log));
      }
    }
  };

  const runAll = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      for (let ids = await database.bulkOperations.unfinishedIds(); ids.length > 0;) {
        for (const id of ids) {
          if (isStopped || !isLeader()) {
            return;
          }
          await takeTurn(id);
          await setImmediate();
        }
        ids = await database.bulkOperations.unfinishedIds();
      }
    }
  };

  const wake = (): void => {
    isWanted = true;
    if (running || isStopped || !isLeader()) {
      return;
    }
    running = runAll()
      .catch((error: unknown) => {
        // It goes on when it is woken next.
        const failure = storageFailureOf(error);
        if (failure) {
          log.info({ failure }, 'operations.postponed');
        } else {
          log.error({ err: error }, 'operations.failed');
        }
      })
      .finally(() => {
        running = null;
        if (isWanted) {
          wake();
        }
      });
  };

  return {
    /** There may be operations that have not finished. */
    wake,
    handleEvent(this: void, event: CloudEvent): void {
      if (event.type === 'operations_pending') {
        wake();
      }
    },
    async close(this: void): Promise<void> {
      isStopped = true;
      await running;
    },
  };
}

/** The device, or what stands in the way, before anything is written. */
async function checkDevice(
  tx: Transaction,
  id: string,
  { known, check }: { known: Failure | undefined; check: BoundAction['check'] },
): Promise<{ device: DeviceRow; failure: null } | { device: null; failure: Failure }> {
  if (known) {
    return { device: null, failure: known };
  }
  try {
    const device = await requireDevice(tx, id);
    await check(device);
    return { device, failure: null };
  } catch (error) {
    if (error instanceof ApiError) {
      return { device: null, failure: { code: error.code, message: error.message } };
    }
    throw error;
  }
}

async function applyTo(position: number, device: DeviceRow, apply: BoundAction['apply']): Promise<Made> {
  try {
    return await apply(device);
  } catch (error) {
    throw new DeviceFailure(position, error);
  }
}

function describe(error: unknown, log: Logger): Failure {
  if (error instanceof ApiError) {
    return { code: error.code, message: error.message };
  }
  log.error({ err: error }, 'operations.device_failed');
  return { code: 'INTERNAL_ERROR', message: 'Internal error of the service; the log of the cloud has more.' };
}

/** Records how far the operation is, now and then, and that it has finished. */
async function tell(tx: Transaction, row: OperationRow, nowMs: number): Promise<void> {
  const isFinished = row.succeeded + row.failed === row.total;
  if (!isFinished && nowMs - row.told_at < PROGRESS_INTERVAL_MS) {
    return;
  }
  const finished: Partial<OperationRow> = isFinished ? { status: 'finished', finished_at: nowMs } : {};
  await tx.bulkOperations.update(row.id, { told_at: nowMs, ...finished });
  tx.recordEvent({
    type: isFinished ? 'operation.finished' : 'operation.progress',
    resource: row.id,
    data: { operation: presentOperation({ ...row, ...finished }) },
  });
}
