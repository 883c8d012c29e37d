import type { AlertCondition } from '@placard/client';

/** What a field of a condition takes: minutes, another number, one of few values, a code of a fault, or a version of the player. */
export type Field =
  | { kind: 'minutes' | 'number'; min: number; max: number }
  | { kind: 'choice'; /** As they are shown. */ choices: Readonly<Record<string, string>> }
  | { kind: 'fault' }
  | { kind: 'version' };

export type FieldValue = string | number | null;

interface ConditionKind {
  /** In the order in which they are asked for. */
  fields: Readonly<Record<string, Field>>;
  /** What the fields have at first. */
  first: Readonly<Record<string, FieldValue>>;
}

const minutes = (min: number) => ({ kind: 'minutes', min, max: 10_080 }) as const;

const pictures = { kind: 'number', min: 2, max: 100 } as const;

/** The conditions that the form offers; their words are `conditions` and `fields` of the texts. */
export const CONDITIONS = {
  offline: { fields: { minutes: minutes(1) }, first: { minutes: 10 } },
  fault: { fields: { code: { kind: 'fault' }, minutes: minutes(0) }, first: { code: null, minutes: 5 } },
  behind: { fields: { minutes: minutes(1) }, first: { minutes: 30 } },
  old_version: {
    fields: { version: { kind: 'version' }, minutes: minutes(0) },
    first: { version: '', minutes: 0 },
  },
  hot: {
    fields: { celsius: { kind: 'number', min: 1, max: 200 }, minutes: minutes(0) },
    first: { celsius: 80, minutes: 10 },
  },
  disk_below: {
    fields: {
      free: { kind: 'number', min: 1, max: 1_000_000_000 },
      unit: { kind: 'choice', choices: { percent: '%', MB: 'MB' } },
      minutes: minutes(0),
    },
    first: { free: 5, unit: 'percent', minutes: 0 },
  },
  nothing_playable: { fields: { minutes: minutes(1) }, first: { minutes: 5 } },
  screen_black: { fields: { pictures, minutes: minutes(0) }, first: { pictures: 2, minutes: 0 } },
  screen_frozen: { fields: { pictures, minutes: minutes(0) }, first: { pictures: 3, minutes: 0 } },
} as const satisfies Readonly<Record<AlertCondition['type'], ConditionKind>>;

export type ConditionType = keyof typeof CONDITIONS;
type KeysOf<T> = T extends unknown ? keyof T : never;
export type FieldName = KeysOf<(typeof CONDITIONS)[ConditionType]['fields']>;

export const isKnown = (type: string): type is ConditionType => Object.hasOwn(CONDITIONS, type);
export const CONDITION_TYPES: readonly ConditionType[] = Object.keys(CONDITIONS).filter(isKnown);

/** A condition as it is edited: what is typed may not be valid yet. A newer cloud has types that are not in the table. */
export interface EditedCondition {
  readonly type: string;
  readonly [field: string]: FieldValue;
}

export const kindOf = (type: ConditionType): ConditionKind => CONDITIONS[type];

export const firstOf = (type: ConditionType): EditedCondition => ({ type, ...kindOf(type).first });

/** As the API takes it: what is typed into a field for numbers is one, and no code is any. */
export function conditionOf(edited: EditedCondition): AlertCondition {
  const fields = isKnown(edited.type) ? kindOf(edited.type).fields : {};
  const values = Object.entries(edited).map(([name, value]) => [name, valueOf(fields[name], value)]);
  // The API says what is wrong with it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(values) as AlertCondition;
}

function valueOf(field: Field | undefined, value: FieldValue): FieldValue {
  if (field?.kind === 'minutes' || field?.kind === 'number') {
    return value === '' ? null : Number(value);
  }
  return field?.kind === 'fault' && String(value ?? '').trim() === '' ? null : value;
}
