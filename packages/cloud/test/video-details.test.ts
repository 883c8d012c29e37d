import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

vi.setConfig({ testTimeout: 180_000 });

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const upload = async (name: string) =>
  (await cloud.admin.upload(await readFile(join(import.meta.dirname, 'media', name)), name)).data;
const detailsOf = async (id: string) => {
  const { codec, frame_rate } = (await cloud.admin.get(`/v1/content/${id}`)).data;
  return [codec, frame_rate];
};

test.each([
  ['red-then-blue-avc.mp4', /^avc1\.[0-9a-f]{6}$/i],
  ['red-then-blue-avc.mov', /^avc1\.[0-9a-f]{6}$/i],
  ['blue-hevc.mp4', /^hev1\.1\./],
  ['red-then-blue-vp9.webm', /^vp09\.00\.\d\d\.08/],
  ['red-then-blue-vp8.webm', /^vp8$/],
  ['red-then-blue-av1.mp4', /^av01\.0\.\d\dM\.08/],
  ['red-then-blue-av1.webm', /^av01\.0\.\d\dM\.08/],
])('the cloud knows the codec and the frame rate of %s', async (name, codec) => {
  const asset = await upload(name);
  expect(asset).toMatchObject({ codec: expect.stringMatching(codec), frame_rate: expect.any(Number) });
  expect(await detailsOf(asset.id)).toEqual([asset.codec, asset.frame_rate]);
});

test('of videos that an earlier version stored they are read later, once each', async () => {
  const [asset, gone] = [await upload('red-then-blue-vp9.webm'), await upload('blue-hevc.mp4')];
  await cloud.inDatabase(async (db) => {
    await db
      .updateTable('assets')
      .set({ codec: null, frame_rate: null })
      .where('type', '=', 'video')
      .execute();
    // A file that is not there.
    await db
      .updateTable('assets')
      .set({ sha256: 'f'.repeat(64) })
      .where('id', '=', gone.id)
      .execute();
  });
  cloud.clock.advance(60_000);
  await eventually(
    async () => expect(await detailsOf(asset.id)).toEqual([asset.codec, asset.frame_rate]),
    60_000,
  );
  const unread = () =>
    cloud.inDatabase(async (db) => {
      const rows = await db.selectFrom('assets').select('id').where('codec', 'is', null).execute();
      return rows.length;
    });
  await eventually(async () => expect(await unread()).toBe(0), 60_000);
  expect(await detailsOf(gone.id)).toEqual([null, null]);
});
