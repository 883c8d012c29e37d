import { expect, test } from 'vitest';
import { editedSince } from './edited-since.ts';

const sent = { name: ' Shop ', tags: ['a'], store: null };
const stored = { name: 'Shop', tags: ['a'], store: null };

test('nothing is left of a draft that is what was saved, also in other objects', () => {
  expect(editedSince(sent, sent, stored)).toBeNull();
  expect(editedSince({ ...sent, tags: ['a'] }, sent, stored)).toBeNull();
});

test('what was typed while it was saved stays; the other fields are as they were stored', () => {
  expect(editedSince({ ...sent, tags: ['a', 'b'] }, sent, stored)).toEqual({
    name: 'Shop',
    tags: ['a', 'b'],
    store: null,
  });
});

test('what was typed back to the value before it was saved stays as well', () => {
  const before = { name: 'Old' };
  expect(editedSince(before, { name: 'New' }, { name: 'New' })).toEqual(before);
});
