import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CORPUS, corpusBytes, isPlayable } from '../../../test/corpus/corpus.ts';
import { problemsOfPattern } from '../../../test/corpus/look.ts';
import { README, readmeWithTable } from '../../../test/corpus/table.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

/** The thumbnail is as large as the picture; both sides rounded, at most 480 pixels. */
const thumbnailSize = ({ width, height }: { width: number; height: number }) => {
  const scale = Math.min(1, 480 / Math.max(width, height));
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
};

test.each(CORPUS.filter(isPlayable))('$name ($is) is accepted', async ({ name, answer }) => {
  const { format, width, height, isGrey = false, codec } = answer;
  // Whole seconds, as the contract says.
  const duration = answer.duration && Math.max(1, Math.round(answer.duration));
  const { status, data } = await cloud.admin.upload(await corpusBytes(name), name);
  expect(status).toBe(201);
  expect(data).toMatchObject({ format, width, height, duration });
  expect(String(data.codec)).toMatch(new RegExp(`^${codec}`, 'i'));
  const thumbnail = Buffer.from(await (await fetch(data.thumbnail_url)).arrayBuffer());
  expect(await problemsOfPattern(thumbnail, { shown: thumbnailSize(answer), isGrey })).toEqual([]);
});

test.each(CORPUS.filter((file) => !isPlayable(file)))('$name ($is) is refused', async ({ name, answer }) => {
  const { status, error } = await cloud.admin.upload(await corpusBytes(name), name);
  expect(status).toBe(415);
  expect({ ...error?.details, message: error?.message }).toEqual(answer);
});

test('the table of README.md is that of the list', async () => {
  expect(await readFile(README, 'utf8')).toBe(await readmeWithTable());
});
