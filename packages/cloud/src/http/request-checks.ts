import { ERRORS, MAX_TIMELINE_DAYS } from '@placard/protocol/api';
import type { ErrorCode } from '@placard/protocol/api';
import { ApiError, validationError } from '../domain/api-error.ts';
import { DAY_MS } from '../domain/durations.ts';
import { findLimitProblems } from '../domain/resource-limits.ts';
import type { ResourceCounts } from '../domain/resource-limits.ts';
import type { TimeSpan } from '../domain/uptime.ts';
import type { Target } from '@placard/schedule';
import type { Repositories, Transaction } from '../database/cloud-database.ts';

/** Throws when a target names a device or store that does not exist. Tags may be unused. */
export async function requireTargets(repositories: Repositories, targets: readonly Target[]): Promise<void> {
  const ids = (type: 'device' | 'store') =>
    targets.flatMap((target) => (target.type === type ? [target.id] : []));
  const devices = await repositories.devices.findNames(ids('device'));
  requireAll(ids('device'), devices, 'DEVICE_NOT_FOUND', 'A target names a device that does not exist');
  const stores = await repositories.stores.findNames(ids('store'));
  requireAll(ids('store'), stores, 'STORE_NOT_FOUND', 'A target names a store that does not exist');
}

/** Removes a device or store that is being deleted from schedules and deployments. */
export async function removeTarget(
  tx: Transaction,
  target: Extract<Target, { type: 'device' | 'store' }>,
): Promise<void> {
  tx.invalidateManifests({ scheduleIds: await tx.schedules.removeTarget(target.type, target.id) });
  await tx.deployments.removeTarget(target.type, target.id);
  tx.invalidateManifests({ deployedTargets: [target] });
}

export const requireStore = async (repositories: Repositories, id: string) =>
  requireFound(await repositories.stores.find(id), 'STORE_NOT_FOUND');

/** Throws when the organization would exceed its resource limits. */
export function requireWithinLimits(counts: Partial<ResourceCounts>, path: string): void {
  const problems = findLimitProblems(counts, path);
  if (problems.length > 0) {
    throw validationError(problems);
  }
}

/** The row; throws the error with its usual message when there is none. */
export function requireFound<T>(row: T | undefined, code: ErrorCode): T {
  if (row === undefined) {
    throw new ApiError(code, ERRORS[code].summary);
  }
  return row;
}

/** Throws when one of the ids was not found; `message` goes before the first missing id. */
export function requireAll(
  ids: readonly string[],
  found: ReadonlyMap<string, unknown>,
  code: ErrorCode,
  message: string,
): void {
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0) {
    throw new ApiError(code, `${message}: ${missing[0]}.`, { details: { ids: missing } });
  }
}

export interface RangeQuery {
  from?: string | undefined;
  to?: string | undefined;
}

/** The span of a report: until now, and that many days long, unless the query says otherwise. */
export function toTimeSpan({ from, to }: RangeQuery, nowMs: number, defaultDays = 7): TimeSpan {
  const toMs = to === undefined ? nowMs : Date.parse(to);
  const fromMs = from === undefined ? toMs - defaultDays * DAY_MS : Date.parse(from);
  if (fromMs > toMs) {
    throw validationError([{ path: 'from', message: 'must not be after to' }]);
  }
  return { fromMs, toMs };
}

/** The span of what is to come: a day from now on, unless the query says otherwise. */
export function toComingSpan({ from, to }: RangeQuery, nowMs: number, defaultDays = 1): TimeSpan {
  const fromMs = from === undefined ? nowMs : Date.parse(from);
  const toMs = to === undefined ? fromMs + defaultDays * DAY_MS : Date.parse(to);
  if (fromMs >= toMs) {
    throw validationError([{ path: 'to', message: 'must be after from' }]);
  }
  if (toMs - fromMs > MAX_TIMELINE_DAYS * DAY_MS) {
    throw validationError([{ path: 'to', message: `must be at most ${MAX_TIMELINE_DAYS} days after from` }]);
  }
  return { fromMs, toMs };
}
