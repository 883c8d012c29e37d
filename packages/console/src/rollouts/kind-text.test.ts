import { expect, test } from 'vitest';
import { kindText } from './kind-text.ts';

const texts = { rareKinds: 'Seltene Geräte', unknownShell: 'unbekannt' };

test.each([
  [{ kind: 'Pi with chromium', model: 'Pi', shell: 'chromium' }, 'Pi · chromium'],
  [{ kind: 'linux with an unknown shell', model: 'linux', shell: null }, 'linux · unbekannt'],
  [{ kind: 'rare boards', model: null, shell: null }, 'Seltene Geräte'],
  [{ kind: null, model: null, shell: null }, ''],
  [{ kind: null }, ''],
  [{ kind: 'Pi with chromium' }, 'Pi with chromium'],
])(
  'the kind %j is called "%s", also when a cloud of an earlier version does not tell its parts',
  (kind, text) => {
    expect(kindText(texts, kind)).toBe(text);
  },
);
