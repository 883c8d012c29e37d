import { expect, test } from 'vitest';
import { kindFields, nameKind, RARE_KINDS } from './rollout-kind.ts';

test.each([
  ['Raspberry Pi 4 Model B', 'chromium', 'Raspberry Pi 4 Model B with chromium'],
  ['PC with two outputs', 'electron', 'PC with two outputs with electron'],
  ['linux', null, 'linux with an unknown shell'],
])('the kind of %s and %s is %s, and is told in parts as well', (model, shell, kind) => {
  expect(nameKind(model, shell)).toBe(kind);
  expect(kindFields(kind)).toEqual({ kind, model, shell });
});

test.each([[RARE_KINDS], [null]])('%s has no parts', (kind) => {
  expect(kindFields(kind)).toEqual({ kind, model: null, shell: null });
});
