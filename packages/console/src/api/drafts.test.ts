import { expect, test } from 'vitest';
import { draftsOf, LONGEST_DRAFT, MOST_DRAFTS, removeAllDrafts } from './drafts.ts';

/** The storage of a browser's tab. */
function createStorage(): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (index) => [...items.keys()][index] ?? null,
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
  };
}

const draft = (value: unknown, atMs = 1) => ({ value, from: { etag: '"1"', values: 'before' }, atMs });

test('a draft is read by the person and the build that have kept it, and by no other', () => {
  const storage = createStorage();
  draftsOf(storage, 'usr_1', 'a').keep('device dev_1', draft({ name: 'Till' }));
  expect(draftsOf(storage, 'usr_1', 'a').read('device dev_1')).toMatchObject(draft({ name: 'Till' }));
  expect(draftsOf(storage, 'usr_2', 'a').read('device dev_1')).toBeNull();
  expect(draftsOf(storage, 'usr_1', 'b').read('device dev_1')).toBeNull();
  expect(storage.length, 'what no build can read any more is removed').toBe(0);
});

test('of many drafts the oldest make room, and one that is too long is not kept', () => {
  const storage = createStorage();
  const drafts = draftsOf(storage, 'usr_1', 'a');
  for (let count = 0; count <= MOST_DRAFTS; count += 1) {
    drafts.keep(`device dev_${count}`, draft('x', count));
  }
  expect(storage.length).toBe(MOST_DRAFTS);
  expect(drafts.read('device dev_0')).toBeNull();
  expect(drafts.read(`device dev_${MOST_DRAFTS}`)).not.toBeNull();
  drafts.keep('device dev_1', draft('x'.repeat(LONGEST_DRAFT)));
  expect(drafts.read('device dev_1'), 'nor is what was there before').toBeNull();
});

test.each([
  '{',
  '"text"',
  '{"value":1}',
  '{"value":1,"build":"a","atMs":"now","from":null}',
  '{"value":1,"build":"a","atMs":1,"from":"etag"}',
  '{"value":1,"build":"a","atMs":1,"from":{"etag":1,"values":1}}',
])('what cannot be a draft is no draft: %s', (text) => {
  const storage = createStorage();
  storage.setItem('placard.draft.usr_1.device dev_1', text);
  expect(draftsOf(storage, 'usr_1', 'a').read('device dev_1')).toBeNull();
});

test('signing out removes all drafts, and nothing else', () => {
  const storage = createStorage();
  draftsOf(storage, 'usr_1', 'a').keep('device dev_1', draft('x'));
  draftsOf(storage, 'usr_2', 'a').keep('device dev_1', draft('x'));
  storage.setItem('placard.language', 'de');
  removeAllDrafts(storage);
  expect([storage.length, storage.getItem('placard.language')]).toEqual([1, 'de']);
});
