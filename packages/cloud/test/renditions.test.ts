import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VideoCodec } from '@placard/protocol';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { capabilitiesWithout } from './support/capabilities.ts';
import { animation, png } from './support/media.ts';
import { pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

// Encoders are slow on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

let cloud: TestCloud;
beforeEach(async () => {
  // At the lowest priority they would take many times as long while others compute.
  cloud = await startTestCloud({ renditionLimits: { nicer: 0 } });
});
afterEach(() => cloud.close());

const media = (name: string) => readFile(join(import.meta.dirname, 'media', name));
const upload = async (bytes: Buffer, name = 'Intro') => (await cloud.admin.upload(bytes, name)).data;
const uploadHevc = async () => upload(await media('blue-hevc.mp4'));
const setPolicy = (renditions: string) => cloud.admin.patch('/v1/organization', { renditions });
const pathOf = (id: string) => `/v1/content/${id}/renditions`;
const list = async (id: string) => (await cloud.admin.get(pathOf(id))).data;
const want = (id: string) => cloud.admin.post(pathOf(id), {});
const wantedEntries = async () =>
  (await cloud.admin.get('/v1/audit-log?action=content.rendition_wanted')).data;

/** The only rendition of the asset, once it is in this state. Each look lets time pass for the jobs. */
async function waitFor(id: string, state: string) {
  await eventually(async () => expect(await list(id)).toMatchObject([{ state }]), 120_000);
  return (await list(id))[0];
}

/** A screen that shows the content, and can play everything but these codecs. */
async function addScreen(contentId: string, ...missing: readonly VideoCodec[]) {
  const screen = await pairDevice(cloud);
  await report(screen, ...missing);
  const items = [{ content_id: contentId, duration: 10 }];
  const { data: playlist } = await cloud.admin.post('/v1/playlists', { name: 'P', items });
  const targets = [{ type: 'device', id: screen.deviceId }];
  const { data } = await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, { targets });
  return { screen, playlist: playlist.id, targets, warnings: data.warnings };
}
const report = ({ client }: PairedDevice, ...missing: readonly VideoCodec[]) =>
  client.post('/v1/player/capabilities', capabilitiesWithout(...missing));

/** The revision of the screen, and the only file that it shows. */
async function shownBy({ client }: PairedDevice) {
  const { data } = await client.get('/v1/player/manifest');
  const [asset] = data.assets;
  return { revision: data.revision, asset };
}

test('who cannot decode a file gets the copy that somebody asked for; all others keep what they have', async () => {
  const original = await uploadHevc();
  const [cannot, can, silent] = [
    await addScreen(original.id, 'hevc'),
    await addScreen(original.id),
    { screen: await pairDevice(cloud) },
  ];
  expect(cannot.warnings).toMatchObject([{ code: 'SCREENS_CANNOT_DECODE' }]);
  const targets = [{ type: 'device', id: silent.screen.deviceId }];
  await cloud.admin.post(`/v1/playlists/${can.playlist}/deploy`, { targets });
  const before = {
    cannot: await shownBy(cannot.screen),
    can: await shownBy(can.screen),
    silent: await shownBy(silent.screen),
  };
  expect((await want(original.id)).error).toMatchObject({
    code: 'CONFLICT',
    details: { reason: 'switched_off' },
  });

  expect(await list(original.id)).toEqual([]);
  await setPolicy('on_demand');
  expect(await list(original.id)).toMatchObject([{ kind: 'h264_1080p30', state: 'possible' }]);
  const asked = await want(original.id);
  expect(asked).toMatchObject({ status: 202, data: { kind: 'h264_1080p30', state: 'wanted', file: null } });
  const { file } = await waitFor(original.id, 'ready');
  expect(file).toMatchObject({ format: 'mp4', codec: expect.stringMatching(/^avc1\./), duration: 1 });
  expect((await want(original.id)).data.file).toEqual(file);

  const { revision, asset } = await shownBy(cannot.screen);
  const { sha256, size, url } = file;
  expect(asset).toEqual({ ...before.cannot.asset, sha256, size, url, duration: 1 });
  expect(revision).not.toBe(before.cannot.revision);
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
  expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([size, sha256]);
  expect(await shownBy(can.screen)).toEqual(before.can);
  expect(await shownBy(silent.screen)).toEqual(before.silent);

  // It is warned of no longer.
  const { data } = await cloud.admin.post(`/v1/playlists/${cannot.playlist}/deploy`, {
    targets: cannot.targets,
  });
  expect(data.warnings).toEqual([]);
  // The original is the same.
  const { data: kept } = await cloud.admin.get(`/v1/content/${original.id}`);
  expect([kept.sha256, kept.codec]).toEqual([original.sha256, original.codec]);
  const entries = await wantedEntries();
  expect(entries, 'that somebody asked again has changed nothing').toMatchObject([
    { resource: { id: original.id, name: 'Intro' } },
  ]);
});

test('a screen that reports other decoders is told of the other file at once', async () => {
  await setPolicy('on_demand');
  const original = await uploadHevc();
  await want(original.id);
  const { file } = await waitFor(original.id, 'ready');
  const { screen } = await addScreen(original.id);
  const before = await shownBy(screen);
  expect(before.asset.sha256).toBe(original.sha256);
  await report(screen, 'hevc');
  expect((await shownBy(screen)).asset.sha256).toBe(file.sha256);
  await report(screen, 'hevc', 'h264');
  expect((await shownBy(screen)).asset.sha256, 'it can play neither').toBe(original.sha256);
  await report(screen, 'hevc');
  await setPolicy('off');
  expect(await shownBy(screen)).toEqual(before);
  await setPolicy('automatic');
  expect((await shownBy(screen)).asset.sha256).toBe(file.sha256);
});

test.runIf(inject('postgres'))(
  'nodes learn what an older node stores of the decoders of a screen',
  async () => {
    await setPolicy('on_demand');
    const original = await uploadHevc();
    await want(original.id);
    const { file } = await waitFor(original.id, 'ready');
    const { screen } = await addScreen(original.id, 'hevc');
    expect((await shownBy(screen)).asset.sha256).toBe(file.sha256);
    const set = (decoders: string | null) =>
      cloud.inDatabase((db) =>
        db.updateTable('devices').set({ decoders }).where('id', '=', screen.deviceId).execute(),
      );
    const { decoders } = await cloud.inDatabase((db) =>
      db.selectFrom('devices').select('decoders').where('id', '=', screen.deviceId).executeTakeFirstOrThrow(),
    );
    await set(null);
    expect((await shownBy(screen)).asset.sha256).toBe(original.sha256);
    await set(decoders);
    expect((await shownBy(screen)).asset.sha256).toBe(file.sha256);
  },
);

test('by itself the cloud makes copies of what a screen has reported it cannot play, and of large pictures', async () => {
  await setPolicy('automatic');
  const large = await upload(
    await sharp({ create: { width: 4000, height: 20, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer(),
  );
  const small = await upload(await png());
  const avc = await upload(await media('red-then-blue-avc.mp4'));
  const hevc = await uploadHevc();
  const vp9 = await upload(await media('red-then-blue-vp9.webm'));
  const { screen } = await addScreen(large.id, 'hevc');
  const video = await waitFor(hevc.id, 'ready');
  expect(video.kind).toBe('h264_1080p30');
  const still = await waitFor(large.id, 'ready');
  expect(still).toMatchObject({
    kind: 'still_3840',
    file: { width: 3840, height: 19, format: 'jpeg', codec: null, duration: null },
  });
  expect([await list(small.id), await list(avc.id)]).toEqual([[], []]);
  expect(await list(vp9.id), 'every screen plays it').toMatchObject([{ state: 'possible', wanted_at: null }]);
  expect((await want(avc.id)).error).toMatchObject({ details: { reason: 'not_needed' } });
  expect((await shownBy(screen)).asset).toMatchObject({ sha256: still.file.sha256, width: 3840 });
  expect((await shownBy((await addScreen(large.id)).screen)).asset.sha256).toBe(still.file.sha256);
});

test('a copy goes with the file that it was made of', async () => {
  await setPolicy('on_demand');
  const original = await uploadHevc();
  await want(original.id);
  await waitFor(original.id, 'ready');
  const { screen } = await addScreen(original.id, 'hevc');
  const unplayable = await cloud.admin.replace(original.id, await media('hdr-hevc.mp4'));
  expect(unplayable.data.warnings, 'the copy is of the file before').toMatchObject([
    { code: 'SCREENS_CANNOT_DECODE', device_count: 1 },
  ]);
  const replacement = await cloud.admin.replace(original.id, await media('red-then-blue-avc.mp4'));
  expect(replacement.data.warnings).toEqual([]);
  expect(replacement.status).toBe(200);
  expect(await list(original.id)).toEqual([]);
  expect((await shownBy(screen)).asset.sha256).toBe(replacement.data.sha256);

  const other = await uploadHevc();
  await want(other.id);
  await waitFor(other.id, 'ready');
  // As a node of the version before does it.
  await cloud.inDatabase((db) =>
    db
      .updateTable('assets')
      .set({ sha256: replacement.data.sha256, codec: 'avc1.640028' })
      .where('id', '=', other.id)
      .execute(),
  );
  expect(await list(other.id), 'it was of another file').toEqual([]);
  expect((await cloud.admin.delete(`/v1/content/${other.id}`)).status).toBe(200);
  const rows = await cloud.inDatabase((db) => db.selectFrom('renditions').selectAll().execute());
  expect(rows).toEqual([]);
});

test('what cannot be made has failed with its reason, and is tried again when somebody asks', async () => {
  await setPolicy('on_demand');
  const original = await upload(await animation(4000, 20));
  await want(original.id);
  expect(await waitFor(original.id, 'failed')).toMatchObject({
    failure: { reason: 'animated', message: expect.stringContaining('animation') },
    file: null,
  });
  expect((await want(original.id)).data).toMatchObject({ state: 'wanted', failure: null });
  await waitFor(original.id, 'failed');
  expect(await wantedEntries()).toHaveLength(2);
});

test('what a node that was lost had begun is made by another start, and after five of them has failed', async () => {
  await setPolicy('on_demand');
  const [lost, hopeless] = [await uploadHevc(), await upload(await media('red-then-blue-vp9.webm'))];
  // As a kill leaves them.
  const leasedUntil = cloud.clock.nowMs() + 60_000;
  await cloud.inDatabase((db) =>
    db
      .insertInto('renditions')
      .values(
        [lost, hopeless].map(({ id, sha256 }, index) => ({
          content_id: id,
          kind: 'h264_1080p30' as const,
          source_sha256: sha256,
          state: 'making' as const,
          attempts: index === 0 ? 1 : 5,
          leased_until: leasedUntil,
          failure: null,
          message: null,
          sha256: null,
          size: null,
          format: null,
          width: null,
          height: null,
          codec: null,
          frame_rate: null,
          duration: null,
          created_at: cloud.clock.nowMs(),
          updated_at: cloud.clock.nowMs(),
        })),
      )
      .execute(),
  );
  expect(await list(lost.id)).toMatchObject([{ state: 'making' }]);
  await waitFor(lost.id, 'ready');
  expect(cloud.clock.nowMs(), 'not while its node may be making it').toBeGreaterThan(leasedUntil);
  expect(await waitFor(hopeless.id, 'failed')).toMatchObject({ failure: { reason: 'interrupted' } });
});

test('a cloud that stops leaves the work to its next start at once', async () => {
  await setPolicy('on_demand');
  const original = await uploadHevc();
  await want(original.id);
  await waitFor(original.id, 'making');
  await cloud.restart(0);
  const attempts = await cloud.inDatabase(async (db) => {
    const row = await db.selectFrom('renditions').select(['state', 'attempts']).executeTakeFirstOrThrow();
    return row.state === 'wanted' ? row.attempts : null;
  });
  expect(attempts).toBe(0);
  await waitFor(original.id, 'ready');
});

test('without the package nobody waits for a video, and pictures are made all the same', async () => {
  await cloud.restart(0, { videoDecoder: false });
  await setPolicy('on_demand');
  const hevc = await uploadHevc();
  expect((await want(hevc.id)).error).toMatchObject({ details: { reason: 'no_encoder' } });
  const large = await upload(
    await sharp({ create: { width: 20, height: 4000, channels: 3, background: 'red' } })
      .png()
      .toBuffer(),
  );
  await want(large.id);
  expect((await waitFor(large.id, 'ready')).file).toMatchObject({ width: 19, height: 3840 });
});
