import { expect, test } from 'vitest';
import { isShortcut } from './shortcuts.ts';

const press = (keys: string) => {
  const all = keys.split('+');
  const isHeld = (name: string) => all.includes(name);
  return {
    key: all.at(-1)!,
    code: '',
    control: isHeld('Ctrl'),
    alt: isHeld('Alt'),
    shift: isHeld('Shift'),
    meta: isHeld('Win'),
  };
};

test.each([
  'Ctrl+R',
  'Ctrl+Shift+I',
  'Ctrl+W',
  'Ctrl+P',
  'Ctrl+S',
  'Alt+F4',
  'Alt+ArrowLeft',
  'Win+d',
  'F5',
  'F11',
  'F12',
  'BrowserBack',
  'Ctrl+Alt+Shift+Win+S',
])('blocks %s', (keys) => {
  expect(isShortcut(press(keys))).toBe(true);
});

test.each([
  'Ctrl+Alt+Shift+S',
  'Ctrl+Alt+Shift+s',
  '1',
  'a',
  'Shift+A',
  'Escape',
  'Enter',
  'Tab',
  'Backspace',
])('passes %s to the page', (keys) => {
  expect(isShortcut(press(keys))).toBe(false);
});

test.each(['ß', 'Ś', 'ẞ', 'Dead', '§'])(
  "passes the technician's shortcut where AltGr turns the key into %s",
  (letter) => {
    const altGr = { control: true, alt: true, shift: true, meta: false };
    expect(isShortcut({ ...altGr, key: letter, code: 'KeyS' })).toBe(false);
    expect(isShortcut({ ...altGr, key: letter, code: 'KeyD' })).toBe(true);
  },
);
