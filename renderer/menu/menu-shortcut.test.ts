import { expect, test } from 'vitest';
import { createPressCounter, createTapCounter, isMenuShortcut } from './menu-shortcut.ts';

const panel = { width: 1_000, height: 500 };
const tapAt = (x: number, y: number, atMs: number) => ({ ...panel, x, y, atMs });

test.each([
  ['top left', 10, 10],
  ['top right', 990, 70],
  ['bottom left', 74, 430],
  ['bottom right', 1_000, 500],
])('five taps %s open the menu, once', (_, x, y) => {
  const counts = createTapCounter();
  const results = [1, 2, 3, 4, 5, 6].map((n) => counts(tapAt(x, y, n * 500)));
  expect(results).toEqual([false, false, false, false, true, false]);
});

test('taps elsewhere, in two corners, or too slow do not open it', () => {
  const anywhere = createTapCounter();
  const corners = createTapCounter();
  const slow = createTapCounter();
  for (let n = 0; n < 20; n++) {
    expect(anywhere(tapAt(500, 250, n * 100))).toBe(false);
    expect(corners(tapAt(n % 2 === 0 ? 5 : 995, 5, n * 100))).toBe(false);
    expect(slow(tapAt(5, 5, n * 1_500))).toBe(false);
  }
});

test.each(['Enter', 'Select', 'Accept', 'ContextMenu'])('five presses of %s open the menu, once', (key) => {
  const counts = createPressCounter();
  const results = [1, 2, 3, 4, 5, 6].map((n) => counts({ key, repeat: false }, n * 500));
  expect(results).toEqual([false, false, false, false, true, false]);
});

test('a held key, another key in between, or slow presses do not open it', () => {
  const heldKey = createPressCounter();
  const mixed = createPressCounter();
  const slow = createPressCounter();
  const other = createPressCounter();
  for (let n = 0; n < 20; n++) {
    expect(heldKey({ key: 'Enter', repeat: n > 0 }, n * 100)).toBe(false);
    expect(mixed({ key: n % 4 === 3 ? 'ArrowUp' : 'Enter', repeat: false }, n * 100)).toBe(false);
    expect(slow({ key: 'Enter', repeat: false }, n * 1_500)).toBe(false);
    expect(other({ key: 'a', repeat: false }, n * 100)).toBe(false);
  }
});

test.each([
  [{ ctrlKey: true, altKey: true, shiftKey: true, code: 'KeyS', key: 'ß' }, true],
  [{ ctrlKey: true, altKey: true, shiftKey: true, code: 'KeyO', key: 'S' }, true],
  [{ ctrlKey: true, altKey: true, shiftKey: true, code: 'KeyA', key: 'A' }, false],
  [{ ctrlKey: true, altKey: true, shiftKey: false, code: 'KeyS', key: 's' }, false],
  [{ ctrlKey: false, altKey: true, shiftKey: true, code: 'KeyS', key: 'S' }, false],
])('the keys %j open the menu: %s', (event, opens) => {
  expect(isMenuShortcut({ ...event, getModifierState: () => false })).toBe(opens);
});

test.each([
  ['KeyS', true, true],
  ['KeyS', false, false],
  ['KeyA', true, false],
])('AltGr instead of Ctrl and Alt, with %s and Shift %s, opens the menu: %s', (code, shiftKey, opens) => {
  const altGraph = {
    ctrlKey: false,
    altKey: false,
    getModifierState: (name: string) => name === 'AltGraph',
  };
  expect(isMenuShortcut({ ...altGraph, code, shiftKey, key: 'Ś' })).toBe(opens);
});
