import * as fc from 'fast-check';
import type { ResourceKind, Model } from './model.ts';
import { ID_PREFIX } from './model.ts';

/** A reference that is resolved when the step runs; mostly to an existing resource. */
export interface Ref {
  kind: ResourceKind;
  n: number;
  /** 0: an existing one, 9: one of another kind, 10: a deleted one, 11: one that never existed. */
  choice: number;
}

const refChoice = fc.oneof(
  { weight: 12, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(9, 10, 11) },
);

export const ref = (kind: ResourceKind): fc.Arbitrary<Ref> =>
  fc.record({ kind: fc.constant(kind), n: fc.nat(20), choice: refChoice });

/** The id that a reference resolves to now, and whether it exists. */
export function resolveRef(model: Model, { kind, n, choice }: Ref): { id: string; live: boolean } {
  const live = [...model[kind].keys()];
  const unknownId = `${ID_PREFIX[kind]}0000000000zzzzzzzzzzzzzzzz`;
  const deletedIds = model.deletedIds.filter((id) => id.startsWith(ID_PREFIX[kind]));
  if (choice === 9) {
    const other = [...model[kind === 'stores' ? 'playlists' : 'stores'].keys()][0];
    return { id: other ?? unknownId, live: false };
  }
  if (choice === 10 && deletedIds.length > 0) {
    return { id: deletedIds[n % deletedIds.length]!, live: false };
  }
  if (choice === 11 || live.length === 0) {
    return { id: unknownId, live: false };
  }
  return { id: live[n % live.length]!, live: true };
}

/** `unspecified`: not documented; may be rejected, but never stored partially. */
export type Validity = 'valid' | 'invalid' | 'unspecified';

export const text = (): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.string({ minLength: 1, maxLength: 24, unit: 'grapheme' }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        'Breakfast',
        ' padded ',
        'x'.repeat(200),
        '\u202eright to left',
        '𝒳'.repeat(100),
        'e\u0301 and é',
        "'; DROP TABLE devices;--",
        '100 % _ \\ "',
        '',
        '   ',
        'x'.repeat(201),
        'half \ud83d pair',
        'nul \u0000 inside',
        'two\nlines',
        '\ufeffbom',
        '__proto__',
      ),
    },
  );

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

export function nameValidity(value: string): Validity {
  const trimmed = value.trim();
  const characters = Array.from(trimmed).length;
  if (characters < 1 || characters > 200) {
    return 'invalid';
  }
  return trimmed.length > 200 || CONTROL.test(trimmed) || !trimmed.isWellFormed() ? 'unspecified' : 'valid';
}

export function worstValidity(...verdicts: (Validity | undefined)[]): Validity {
  if (verdicts.includes('invalid')) {
    return 'invalid';
  }
  return verdicts.includes('unspecified') ? 'unspecified' : 'valid';
}

export const TAGS = ['counter', 'window', 'door', 'Ünïcode', 'a,b'];
export const tagList = () => fc.array(fc.constantFrom(...TAGS), { maxLength: 4 });

/** Corruptions that make any body invalid. */
export const bodyCorruption = (): fc.Arbitrary<BodyCorruption> =>
  fc.oneof(
    { weight: 14, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom('unknown field', 'array', 'number', 'null', 'not json') },
  );
export type BodyCorruption = 'unknown field' | 'array' | 'number' | 'null' | 'not json' | null;

export const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
/** Sometimes null. */
export const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 4 });

export const targetInput = () =>
  fc.oneof(
    fc.record({ type: fc.constant('device' as const), ref: ref('devices') }),
    fc.record({ type: fc.constant('store' as const), ref: ref('stores') }),
    fc.record({ type: fc.constant('tag' as const), value: fc.constantFrom(...TAGS) }),
    fc.constant({ type: 'all' as const }),
  );
export type TargetInput =
  | { type: 'device'; ref: Ref }
  | { type: 'store'; ref: Ref }
  | { type: 'tag'; value: string }
  | { type: 'all' };
