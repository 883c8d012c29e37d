import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { capabilitiesWithout } from '../../cloud/test/support/capabilities.ts';
import { png } from '../../cloud/test/support/media.ts';
import { pairDevice } from '../../cloud/test/support/paired-device.ts';
import { startTestCloud } from '../../cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../cloud/test/support/test-cloud.ts';
import { runPlacard, startPlacard } from './support/run-placard.ts';
import { watchRequests } from './support/watch-requests.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

interface Named {
  id: string;
  name: string;
}

const run = (...args: string[]) => runPlacard(cloud, args);
/** What is in the folder of this name in the cloud. */
async function contentOf(folder: string): Promise<Named[]> {
  const folders: Named[] = (await cloud.admin.get('/v1/content/folders')).data;
  return (await cloud.admin.get(`/v1/content?folder_id=${idOf(folders, folder)}`)).data;
}
const idOf = (list: readonly Named[], wanted: string) => list.find(({ name }) => name === wanted)?.id ?? '';
const newPlaylist = async (name: string, content_id: string, duration = 10): Promise<string> =>
  (await cloud.admin.post('/v1/playlists', { name, mode: 'sequential', items: [{ content_id, duration }] }))
    .data.id;
const itemsOf = async (playlist: string): Promise<{ content_id: string; duration: number }[]> =>
  (await cloud.admin.get(`/v1/playlists/${playlist}`)).data.items;

test('a folder is kept in step: new, changed, renamed and, only if asked, deleted files', async () => {
  const folder = join(tempDir(), 'posters');
  mkdirSync(join(folder, 'inside'), { recursive: true });
  const write = async (name: string, shade: number) => writeFileSync(join(folder, name), await png(shade));
  await write('a.png', 1);
  await write('inside/b.png', 2);
  writeFileSync(join(folder, 'notes.txt'), 'not for screens');
  const first = await run('upload', folder);
  expect(first.stdout).toContain('2 uploaded, 0 replaced, 0 renamed, 0 deleted, 0 unchanged.');
  const assets = await contentOf('posters');
  expect(assets.map(({ name }) => name).toSorted()).toEqual(['a.png', 'inside/b.png']);
  const posters = await newPlaylist('Posters', idOf(assets, 'a.png'), 7);
  await newPlaylist('Others', idOf(assets, 'inside/b.png'));

  await write('a.png', 3);
  await write('c.png', 2);
  rmSync(join(folder, 'inside/b.png'));
  const { url, requests } = await watchRequests(cloud.cloud.url);
  const second = await runPlacard(cloud, ['upload', folder], { env: { PLACARD_SERVER: url } });
  expect(second.stdout).toContain('0 uploaded, 1 replaced, 1 renamed, 0 deleted, 0 unchanged.');
  const after = await contentOf('posters');
  expect(after.map(({ name }) => name).toSorted()).toEqual(['a.png', 'c.png']);
  const replaced = idOf(after, 'a.png');
  expect(assets.map(({ id }) => id)).not.toContain(replaced);
  expect(await itemsOf(posters)).toMatchObject([{ content_id: replaced, duration: 7 }]);
  const read = requests.filter((each) => each.startsWith('GET /v1/playlists/'));
  expect(read, 'only what has the picture is read').toEqual([`GET /v1/playlists/${posters}`]);

  rmSync(join(folder, 'c.png'));
  expect((await run('upload', folder)).stdout).toContain('0 deleted');
  expect((await run('upload', folder, '--delete')).stdout).toContain('1 deleted');
  expect(await contentOf('posters')).toHaveLength(1);
});

test('a file that replaces another one is warned of when screens that show it cannot play it', async () => {
  const folder = join(tempDir(), 'clips');
  mkdirSync(folder);
  const copy = (name: string) =>
    copyFileSync(join(import.meta.dirname, '../../cloud/test/media', name), join(folder, 'clip.mp4'));
  copy('red-then-blue-avc.mp4');
  const first = await run('upload', folder);
  expect([first.code, first.stderr]).toEqual([0, expect.not.stringContaining('Warning')]);
  const playlist = await newPlaylist('Clips', idOf(await contentOf('clips'), 'clip.mp4'));
  const { client, deviceId } = await pairDevice(cloud, { name: 'Counter' });
  await client.post('/v1/player/capabilities', capabilitiesWithout('hevc'));
  const targets = [{ type: 'device', id: deviceId }];
  await cloud.admin.post(`/v1/playlists/${playlist}/deploy`, { targets });

  copy('blue-hevc.mp4');
  const sentence = '1 screen cannot decode HEVC: Counter. Video: “clip.mp4”.';
  const replaced = await run('upload', folder);
  expect([replaced.code, replaced.stderr]).toEqual([0, `Warning: ${sentence}\n`]);
  copy('red-then-blue-avc.mp4');
  expect((await run('upload', folder)).stderr).toBe('');
  copy('blue-hevc.mp4');
  const [line] = (await run('upload', folder, '--json')).stdout.split('\n');
  expect(JSON.parse(line!)).toMatchObject({ action: 'replaced', warnings: [{ message: sentence }] });
});

test('a file takes the place of that of content, which is called by its name', async () => {
  const folder = tempDir();
  const write = async (name: string, shade: number) => {
    writeFileSync(join(folder, name), await png(shade));
    return join(folder, name);
  };
  const [old] = (await run('upload', await write('prices.png', 61), '--tags', 'menu', '--json')).json;
  const path = await write('prices of may.png', 62);
  const { json, code } = await run('upload', path, '--replace', 'prices.png', '--json');
  expect([code, json]).toEqual([
    0,
    expect.objectContaining({ id: old.id, name: 'prices.png', tags: ['menu'] }),
  ]);
  expect(json.sha256).not.toBe(old.sha256);
  const again = await run('upload', path, '--replace', old.id);
  expect(again.stdout).toContain('Replaced the file of prices.png');
  expect((await run('upload', path, '--replace', 'nothing')).code).toBe(4);
  const wrong = await run('upload', path, path, '--replace', old.id);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--replace takes one file')]);
});

test('a replacement that broke off is finished by the next run, before anything is deleted', async () => {
  const folder = join(tempDir(), 'broken-off');
  mkdirSync(folder);
  writeFileSync(join(folder, 'menu.png'), await png(10));
  await run('upload', folder);
  const picture = idOf(await contentOf('broken-off'), 'menu.png');
  const first = await newPlaylist('Menu left', picture);
  const second = await newPlaylist('Menu right', picture);
  writeFileSync(join(folder, 'menu.png'), await png(11));
  // The newest comes first. Somebody changes the other one between the read and the change.
  const { url } = await watchRequests(cloud.cloud.url, async (request) => {
    if (request === `PATCH /v1/playlists/${first}`) {
      await cloud.admin.patch(`/v1/playlists/${first}`, { name: 'Menu centre' });
    }
  });
  const broken = await runPlacard(cloud, ['upload', folder, '--delete'], { env: { PLACARD_SERVER: url } });
  expect([broken.code, broken.stderr]).toEqual([
    1,
    expect.stringContaining('menu.png  Somebody else has changed this'),
  ]);
  const [replaced] = await itemsOf(second);
  expect(replaced?.content_id).not.toBe(picture);
  expect(await itemsOf(first)).toMatchObject([{ content_id: picture }]);

  const next = await run('upload', folder, '--delete');
  expect(next.stdout).toContain('0 uploaded, 1 replaced, 0 renamed, 0 deleted, 0 unchanged.');
  for (const playlist of [first, second]) {
    expect(await itemsOf(playlist)).toMatchObject([{ content_id: replaced?.content_id }]);
  }
  expect(await contentOf('broken-off')).toMatchObject([{ id: replaced?.content_id }]);
});

test('a file that the cloud refuses keeps no other file back', async () => {
  const folder = join(tempDir(), 'refused');
  mkdirSync(folder);
  writeFileSync(join(folder, 'b.png'), await png(20));
  writeFileSync(join(folder, 'c.png'), await png(21));
  await run('upload', folder);
  writeFileSync(join(folder, 'a.png'), 'no picture');
  writeFileSync(join(folder, 'b.png'), 'no picture any more');
  writeFileSync(join(folder, 'd.png'), await png(22));
  const failed = await run('upload', folder, '--delete');
  expect([failed.code, failed.stdout, failed.stderr]).toEqual([
    1,
    expect.stringContaining('1 uploaded, 0 replaced, 0 renamed, 0 deleted, 1 unchanged.'),
    expect.stringMatching(/^FILE +FAILED\na\.png +\S.*\nb\.png +\S.*\nplacard: 2 of 4 did not succeed\.\n$/),
  ]);
  const { stderr, stdout } = await run('upload', folder, '--json');
  expect(JSON.parse(stderr).error).toEqual({
    code: 'SOME_FAILED',
    message: '2 of 4 did not succeed.',
    details: ['a.png', 'b.png'].map((name) => ({
      name,
      error: expect.objectContaining({ code: 'UNSUPPORTED_MEDIA_TYPE', status: 415 }),
    })),
  });
  expect(JSON.parse(stdout)).toEqual({
    action: 'finished',
    uploaded: 0,
    replaced: 0,
    renamed: 0,
    deleted: 0,
    unchanged: 2,
    failed: 2,
  });
  expect((await contentOf('refused')).map(({ name }) => name).toSorted()).toEqual([
    'b.png',
    'c.png',
    'd.png',
  ]);
});

test('a file that is gone before its turn keeps no other file back', async () => {
  const folder = join(tempDir(), 'gone');
  mkdirSync(folder);
  for (const [index, name] of ['a.png', 'b.png', 'c.png'].entries()) {
    writeFileSync(join(folder, name), await png(25 + index));
  }
  const { url } = await watchRequests(cloud.cloud.url, async (request) => {
    if (request === 'POST /v1/content/uploads') {
      rmSync(join(folder, 'b.png'), { force: true });
    }
  });
  const failed = await runPlacard(cloud, ['upload', folder], { env: { PLACARD_SERVER: url } });
  expect([failed.code, failed.stdout, failed.stderr]).toEqual([
    1,
    expect.stringContaining('2 uploaded, 0 replaced, 0 renamed, 0 deleted, 0 unchanged.'),
    expect.stringMatching(/\nb\.png +ENOENT: .*\nplacard: 1 of 3 did not succeed\.\n$/),
  ]);
});

test('watching goes on when a file is refused, which is sent once, and when the folder is away', async () => {
  const folder = join(tempDir(), 'troubled');
  mkdirSync(folder);
  writeFileSync(join(folder, 'bad.png'), await png(29));
  await run('upload', folder);
  writeFileSync(join(folder, 'bad.png'), 'no picture any more');
  writeFileSync(join(folder, 'good.png'), await png(30));
  const { url, requests } = await watchRequests(cloud.cloud.url);
  const env = { PLACARD_SERVER: url };
  const running = startPlacard(cloud, ['upload', folder, '--watch', '--delete', '--json'], { env });
  const until = (happened: () => void) =>
    eventually(() => {
      cloud.clock.advance(500);
      happened();
    });
  const errors = () =>
    running
      .stderr()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).error);
  const uploaded = (name: string) =>
    expect(running.lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ action: 'uploaded', name }),
    );
  await until(() =>
    expect(errors()).toMatchObject([{ code: 'SOME_FAILED', details: [{ name: 'bad.png' }] }]),
  );
  // Standard output may be read later than standard error.
  await until(() => uploaded('good.png'));
  const begun = () => requests.filter((each) => each === 'POST /v1/content/uploads').length;
  expect(begun()).toBe(2);

  writeFileSync(join(folder, 'late.png'), await png(31));
  await until(() => uploaded('late.png'));
  expect(begun()).toBe(3);
  expect((await contentOf('troubled')).map(({ name }) => name)).toContain('bad.png');

  renameSync(folder, `${folder}.away`);
  await until(() => expect(errors()).toMatchObject([{ code: 'SOME_FAILED' }, { code: 'FILE_FAILED' }]));
  running.child.kill('SIGINT');
  expect((await running.finished).code).toBe(130);
});

test('a watched folder is followed until the program is interrupted', async () => {
  const folder = join(tempDir(), 'watched');
  mkdirSync(folder);
  const running = startPlacard(cloud, ['upload', folder, '--watch', '--json']);
  await eventually(() => expect(running.lines.at(-1)).toContain('"finished"'));
  writeFileSync(join(folder, 'late.png'), await png(40));
  await eventually(() => {
    cloud.clock.advance(500);
    expect(running.lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ action: 'uploaded', name: 'late.png' }),
    );
  });
  running.child.kill('SIGINT');
  expect((await running.finished).code).toBe(130);
});
