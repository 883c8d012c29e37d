import { expect, test } from 'vitest';
import { nearNames, partsOf } from './near-names.ts';

test('names with few other letters are near, the nearest first', () => {
  const names = ['Window', 'Lobby', 'LOBI 2', 'Loby', 'Hall'];
  expect(nearNames('lobi', names)).toEqual(['Loby', 'LOBI 2', 'Lobby']);
  expect(nearNames('Wnidow', ['Window', 'Widow', 'Door'])).toEqual(['Widow', 'Window']);
  expect(nearNames('Lobby', ['Bar', 'Hall'])).toEqual([]);
});

test('names that contain the text are near, and at most three are named', () => {
  const names = ['Counter left', 'Counter right', 'Counter', 'Encounter', 'Bar'];
  expect(nearNames('counter', names)).toEqual(['Counter', 'Encounter', 'Counter left']);
});

test('a text is searched for by its thirds', () => {
  expect(partsOf('Lobi')).toEqual(['Lo', 'bi']);
  expect(partsOf('Window')).toEqual(['Wi', 'nd', 'ow']);
  expect(partsOf('a b c')).toEqual(['a', 'b', 'c']);
  expect(partsOf('x')).toEqual(['x']);
});
