import * as fc from 'fast-check';
import type { Kind, Model } from './model.ts';
import { PREFIX } from './model.ts';

/** A reference that is resolved when the step runs: mostly something that is there, sometimes not. */
export interface Ref {
  kind: Kind;
  n: number;
  /** 0 a live one, 9 one of another kind, 10 one that is gone, 11 one that never was. */
  odd: number;
}

const oddness = fc.oneof(
  { weight: 12, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(9, 10, 11) },
);

export const ref = (kind: Kind): fc.Arbitrary<Ref> =>
  fc.record({ kind: fc.constant(kind), n: fc.nat(20), odd: oddness });

/** The id that a reference stands for now, and whether it is there. */
export function resolveRef(model: Model, { kind, n, odd }: Ref): { id: string; live: boolean } {
  const live = [...model[kind].keys()];
  const never = `${PREFIX[kind]}0000000000zzzzzzzzzzzzzzzz`;
  const gone = model.dead.filter((id) => id.startsWith(PREFIX[kind]));
  if (odd === 9) {
    const other = [...model[kind === 'stores' ? 'playlists' : 'stores'].keys()][0];
    return { id: other ?? never, live: false };
  }
  if (odd === 10 && gone.length > 0) return { id: gone[n % gone.length]!, live: false };
  if (odd === 11 || live.length === 0) return { id: never, live: false };
  return { id: live[n % live.length]!, live: true };
}

/** `either`: the documents do not say, so it may be refused, but never half kept. */
export type Verdict = 'good' | 'bad' | 'either';

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

export function nameVerdict(value: string): Verdict {
  const trimmed = value.trim();
  const characters = Array.from(trimmed).length;
  if (characters < 1 || characters > 200) return 'bad';
  return trimmed.length > 200 || CONTROL.test(trimmed) || !trimmed.isWellFormed() ? 'either' : 'good';
}

export function worst(...verdicts: (Verdict | undefined)[]): Verdict {
  if (verdicts.includes('bad')) return 'bad';
  return verdicts.includes('either') ? 'either' : 'good';
}

export const TAGS = ['counter', 'window', 'door', 'Ünïcode', 'a,b'];
export const tagList = () => fc.array(fc.constantFrom(...TAGS), { maxLength: 4 });

/** Ways to make any body wrong, whatever it holds. */
export const spoil = (): fc.Arbitrary<Spoil> =>
  fc.oneof(
    { weight: 14, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom('unknown field', 'array', 'number', 'null', 'not json') },
  );
export type Spoil = 'unknown field' | 'array' | 'number' | 'null' | 'not json' | null;

export const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
/** Sent as null one time in a few. */
export const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 4 });

export const target = () =>
  fc.oneof(
    fc.record({ type: fc.constant('device' as const), ref: ref('devices') }),
    fc.record({ type: fc.constant('store' as const), ref: ref('stores') }),
    fc.record({ type: fc.constant('tag' as const), value: fc.constantFrom(...TAGS) }),
  );
export type TargetInput =
  { type: 'device'; ref: Ref } | { type: 'store'; ref: Ref } | { type: 'tag'; value: string };
