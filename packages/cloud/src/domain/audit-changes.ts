import type { AuditChange } from '@placard/protocol/api';

/** The value to compare and, for secrets, the value to log instead. */
export interface AuditField {
  value: unknown;
  redacted?: unknown;
}

/** The name and the editable fields of a resource at one moment. */
export interface AuditSnapshot {
  name: string | null;
  fields: Readonly<Record<string, AuditField>>;
}

export const HIDDEN = '(hidden)';

/** A secret: the log records that it changed, but no values. */
export const secretField = (value: unknown): AuditField => ({
  value,
  redacted: value === null || value === undefined ? null : HIDDEN,
});

/** Maximum JSON characters of one value. */
const MAX_VALUE_LENGTH = 2000;
/** Maximum JSON characters of all changes of one entry. */
const MAX_CHANGES_LENGTH = 16_000;

/** The changed fields, each truncated to a maximum size. Null stands for a resource that does not exist. */
export function diffSnapshots(before: AuditSnapshot | null, after: AuditSnapshot | null): AuditChange[] {
  const fields = new Set([...Object.keys(before?.fields ?? {}), ...Object.keys(after?.fields ?? {})]);
  const changes: AuditChange[] = [];
  let remainingLength = MAX_CHANGES_LENGTH;
  for (const field of fields) {
    const [beforeField, afterField] = [before?.fields[field], after?.fields[field]];
    if (toJson(beforeField?.value) === toJson(afterField?.value)) {
      continue;
    }
    const change = toChange(
      field,
      loggedValueOf(beforeField),
      loggedValueOf(afterField),
      Math.min(MAX_VALUE_LENGTH, remainingLength / 2),
    );
    remainingLength -= JSON.stringify(change).length;
    changes.push(change);
  }
  return changes;
}

/** The names of the changed fields without values, for callers beyond their daily audit quota. */
export const omitValues = (changes: readonly AuditChange[]): AuditChange[] =>
  changes.map(({ field }) => ({ field, before: null, after: null, truncated: true }));

function toChange(field: string, before: unknown, after: unknown, maxLength: number): AuditChange {
  const [truncatedBefore, truncatedAfter] = [truncate(before, maxLength), truncate(after, maxLength)];
  return {
    field,
    before: truncatedBefore.value,
    after: truncatedAfter.value,
    truncated: truncatedBefore.truncated || truncatedAfter.truncated,
  };
}

function truncate(value: unknown, maxLength: number): { value: unknown; truncated: boolean } {
  const text = toJson(value);
  if (text.length <= maxLength) {
    return { value: value ?? null, truncated: false };
  }
  if (maxLength <= 0) {
    return { value: null, truncated: true };
  }
  return { value: text.slice(0, maxLength).toWellFormed(), truncated: true };
}

const toJson = (value: unknown): string => JSON.stringify(value ?? null);
const loggedValueOf = (field: AuditField | undefined): unknown =>
  field && 'redacted' in field ? field.redacted : (field?.value ?? null);
