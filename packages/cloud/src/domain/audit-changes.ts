import type { AuditChange } from '@placard/protocol/api';

/** A field as it is compared, and as it is written down when that is something else: secrets are not. */
export interface AuditField {
  value: unknown;
  shown?: unknown;
}

/** What an operator sees of a resource: its name, and what can be changed of it. */
export interface Snapshot {
  name: string | null;
  fields: Readonly<Record<string, AuditField>>;
}

export const HIDDEN = '(hidden)';

/** A secret: that it changed is told, not what it was or is. */
export const secretField = (value: unknown): AuditField => ({
  value,
  shown: value === null || value === undefined ? null : HIDDEN,
});

/** Characters of JSON that are kept of one value. */
const LONGEST_VALUE = 2000;
/** Characters of JSON that are kept of all changes together. */
const LONGEST_CHANGES = 16_000;

/** The fields that differ, each at a bounded size. Null stands for what did not exist, or does not any more. */
export function changesBetween(before: Snapshot | null, after: Snapshot | null): AuditChange[] {
  const fields = new Set([...Object.keys(before?.fields ?? {}), ...Object.keys(after?.fields ?? {})]);
  const changes: AuditChange[] = [];
  let room = LONGEST_CHANGES;
  for (const field of fields) {
    const [was, is] = [before?.fields[field], after?.fields[field]];
    if (textOf(was?.value) === textOf(is?.value)) continue;
    const change = changeOf(field, shownOf(was), shownOf(is), Math.min(LONGEST_VALUE, room / 2));
    room -= JSON.stringify(change).length;
    changes.push(change);
  }
  return changes;
}

/** Which fields differ, and no more: for who changes more in a day than can be kept. */
export const withoutValues = (changes: readonly AuditChange[]): AuditChange[] =>
  changes.map(({ field }) => ({ field, before: null, after: null, truncated: true }));

function changeOf(field: string, before: unknown, after: unknown, longest: number): AuditChange {
  const [was, is] = [cut(before, longest), cut(after, longest)];
  return { field, before: was.value, after: is.value, truncated: was.truncated || is.truncated };
}

function cut(value: unknown, longest: number): { value: unknown; truncated: boolean } {
  const text = textOf(value);
  if (text.length <= longest) return { value: value ?? null, truncated: false };
  if (longest <= 0) return { value: null, truncated: true };
  return { value: text.slice(0, longest).toWellFormed(), truncated: true };
}

const textOf = (value: unknown): string => JSON.stringify(value ?? null);
const shownOf = (field: AuditField | undefined): unknown =>
  field && 'shown' in field ? field.shown : (field?.value ?? null);
