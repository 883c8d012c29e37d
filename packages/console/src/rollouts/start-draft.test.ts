import { expect, test } from 'vitest';
import { bodyOf, firstDraft, releasedVersions } from './start-draft.ts';

const counts = (...versions: string[]) =>
  versions.map((version) => ({ player_version: version, devices: 1 }));

test('the newest version is chosen when others are in use as well', () => {
  expect(firstDraft(counts('1.9.0', '1.10.0', '1.2.0'), null).version).toBe('1.10.0');
  expect(firstDraft(counts('1.9.0', '2.0.0-dev'), null).version).toBe('');
  expect(firstDraft([], null).version).toBe('');
});

test('a version whose rollout was stopped is not chosen', () => {
  const versions = counts('1.9.0', '1.10.0');
  expect(firstDraft(versions, { status: 'stopped', version: '1.10.0' }).version).toBe('');
  expect(firstDraft(versions, { status: 'stopped', version: '1.9.0' }).version).toBe('1.10.0');
  expect(firstDraft(versions, { status: 'finished', version: '1.10.0' }).version).toBe('1.10.0');
});

test('versions that are no release are not offered', () => {
  expect(releasedVersions(counts('1.10.0-dev', '1.2.0', '1.9.0'))).toEqual(['1.9.0', '1.2.0']);
});

test('what is typed becomes what the API takes; empty fields are left out', () => {
  expect(bodyOf({ ...firstDraft([], null), version: ' 1.4.0 ' })).toEqual({
    version: '1.4.0',
    name: null,
    filter: {},
    rings: [1, 10, 100],
    hold_hours: 168,
  });
  const draft = {
    ...firstDraft([], null),
    version: '1.4.0',
    name: 'Autumn',
    filter: { store_id: 'store_1', tag: 'till ', city: '' },
  };
  expect(bodyOf({ ...draft, rings: '10, 100', holdHours: '24' })).toEqual({
    version: '1.4.0',
    name: 'Autumn',
    filter: { store_id: 'store_1', tag: 'till' },
    rings: [10, 100],
    hold_hours: 24,
  });
});
