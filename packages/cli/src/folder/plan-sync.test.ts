import { expect, test } from 'vitest';
import { planSync } from './plan-sync.ts';

const local = (name: string, sha256: string) => ({ name, sha256 });
const remote = (name: string, sha256: string, id = `asset_${name}`) => ({ id, name, sha256 });

test('nothing is done when both sides are the same, in any order', () => {
  const plan = planSync([local('a', '1'), local('b', '2')], [remote('b', '2'), remote('a', '1')]);
  expect(plan).toEqual({ upload: [], replace: [], rename: [], surplus: [], unchanged: 2 });
});

test('new files are uploaded, changed ones replaced, others are surplus', () => {
  const plan = planSync(
    [local('new', '1'), local('changed', '2')],
    [remote('changed', '3'), remote('gone', '4')],
  );
  expect(plan).toEqual({
    upload: [local('new', '1')],
    replace: [{ file: local('changed', '2'), old: [remote('changed', '3')], current: null }],
    rename: [],
    surplus: [remote('gone', '4')],
    unchanged: 0,
  });
});

test('the same content under another name is renamed, not sent', () => {
  const plan = planSync([local('after', '1')], [remote('before', '1')]);
  expect(plan.rename).toEqual([{ file: local('after', '1'), old: remote('before', '1') }]);
  expect([plan.upload, plan.surplus]).toEqual([[], []]);
});

test('a copy is uploaded, and does not take the name of the file that stays', () => {
  const plan = planSync([local('a', '1'), local('copy', '1')], [remote('a', '1')]);
  expect([plan.upload, plan.rename, plan.unchanged]).toEqual([[local('copy', '1')], [], 1]);
});

test('two files that swap their names are both replaced', () => {
  const plan = planSync([local('a', '2'), local('b', '1')], [remote('a', '1'), remote('b', '2')]);
  expect(plan.replace.map(({ file, old }) => [file.name, old.map(({ name }) => name)])).toEqual([
    ['a', ['a']],
    ['b', ['b']],
  ]);
});

test('a replacement that broke off is finished, also when the file has changed once more', () => {
  const both = [remote('a', '1', 'asset_1'), remote('a', '2', 'asset_2')];
  const [old, current] = both;
  expect(planSync([local('a', '2')], both)).toEqual({
    upload: [],
    replace: [{ file: local('a', '2'), old: [old], current }],
    rename: [],
    surplus: [],
    unchanged: 0,
  });
  expect(planSync([local('a', '3')], both).replace).toEqual([
    { file: local('a', '3'), old: both, current: null },
  ]);
});

test('of two assets with one name and the same content, one replaces the other', () => {
  const [first, second] = [remote('a', '1', 'asset_1'), remote('a', '1', 'asset_2')];
  expect(planSync([local('a', '1')], [first, second]).replace).toEqual([
    { file: local('a', '1'), old: [second], current: first },
  ]);
});
