import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

import { sampleMedia } from './support/media.ts';

vi.setConfig({ testTimeout: 180_000 });

/** Long timeout: thumbnails are made in the background with low priority. */
const waitUpToAMinute = (condition: () => Promise<void>) => eventually(condition, 60_000);

let cloud: TestCloud | undefined;
afterEach(() => cloud?.close());

const media = (name: string) => readFile(join(import.meta.dirname, 'media', name));
const thumbnailOf = async (on: TestCloud, id: string): Promise<string | null> =>
  (await on.admin.get(`/v1/content/${id}`)).data.thumbnail_url;

/** The stored thumbnail faults of all assets. */
const faults = (on: TestCloud): Promise<(string | null)[]> =>
  on.inDatabase(async (db) => {
    const columns = db.selectFrom('assets').select('thumbnail_fault');
    const rows = await columns.orderBy('created_at').orderBy('id').execute();
    return rows.map((row) => row.thumbnail_fault);
  });

test('videos uploaded without a decoder get their thumbnail later in the background', async () => {
  cloud = await startTestCloud({ videoDecoder: false });
  const upload = async (bytes: Buffer) => (await cloud!.admin.upload(bytes, 'v')).data;
  const waves = await upload(await sampleMedia('sample-waves-1280x720.mp4'));
  const twin = await upload(await sampleMedia('sample-waves-1280x720.mp4'));
  const vp9 = await upload(await media('red-then-blue-vp9.webm'));
  expect([waves, twin, vp9].map((one) => one.thumbnail_url)).toEqual([null, null, null]);
  cloud.clock.advance(120_000);
  await cloud.restart(0);
  expect(await faults(cloud), 'without a decoder nothing is tried').toEqual([null, null, null]);
  const again = cloud;
  await again.restart(0, { videoDecoder: true });
  again.clock.advance(60_000);
  await waitUpToAMinute(async () => {
    for (const { id } of [waves, twin, vp9]) {
      const url = await thumbnailOf(again, id);
      expect(url).not.toBeNull();
      expect((await fetch(url!)).status).toBe(200);
    }
  });
});

test('a video without a possible thumbnail is tried once, not in every round', async () => {
  cloud = await startTestCloud({ videoDecoder: false });
  const broken = await media('red-then-blue-avc.mp4');
  const data = broken.indexOf('mdat') + 4;
  broken.fill(0xa5, data, data + broken.readUInt32BE(data - 8) - 8);
  const { data: asset } = await cloud.admin.upload(broken, 'broken');
  const { data: gone } = await cloud.admin.upload(await media('blue-hevc.mp4'), 'gone');
  await rm(join(cloud.dataDir, 'blobs', gone.sha256.slice(0, 2), gone.sha256));
  const again = cloud;
  await again.restart(0, { videoDecoder: true });
  again.clock.advance(60_000);
  await waitUpToAMinute(async () => expect(await faults(again)).toEqual(['undecodable', 'missing']));
  expect(await thumbnailOf(again, asset.id)).toBeNull();

  const healed = await again.admin.upload(await media('blue-hevc.mp4'), 'here again');
  expect(healed.data.thumbnail_url).not.toBeNull();
  expect(await thumbnailOf(again, gone.id)).toBe(healed.data.thumbnail_url);
});
