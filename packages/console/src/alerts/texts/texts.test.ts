import { expect, test } from 'vitest';
import { CONDITION_TYPES, kindOf } from '../conditions.ts';
import { english } from './english.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { japanese } from './japanese.ts';
import { spanish } from './spanish.ts';

/** They may be about the moment, so that minutes do not matter. */
const AT_ONCE = CONDITION_TYPES.filter((type) => {
  const { minutes } = kindOf(type).fields;
  return minutes?.kind === 'minutes' && minutes.min === 0;
});

test.each(Object.entries({ english, french, german, japanese, spanish }))(
  'in %s the words of a condition say what each of its fields has, and nothing of minutes that do not matter',
  (_language, texts) => {
    for (const type of CONDITION_TYPES) {
      const said = texts.conditions[type].words((field) => `<${field}>`);
      const names = Object.keys(kindOf(type).fields).map((field) => `<${field}>`);
      expect(said.match(/<\w+>/g)?.toSorted(), said).toEqual(names.toSorted());
    }
    expect(AT_ONCE).toContain('fault');
    for (const type of AT_ONCE) {
      const said = texts.conditions[type].words((field) => (field === 'minutes' ? '' : `<${field}>`));
      expect(said).toMatch(/[^\s（]$/);
    }
  },
);
