import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { capabilitiesWithout } from '../../cloud/test/support/capabilities.ts';
import { pairDevice, startPairing } from '../../cloud/test/support/paired-device.ts';
import { startTestCloud } from '../../cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../cloud/test/support/test-cloud.ts';
import { expectWrongArguments, runPlacard, startPlacard } from './support/run-placard.ts';
import { watchRequests } from './support/watch-requests.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

/** An id that no screen has. */
const GONE = 'dev_00000000000000000000000000';
// oxlint-disable-next-line typescript/no-explicit-any -- each command prints something else
type Json = any;

const newPlaylist = async (name: string) => (await cloud.admin.post('/v1/playlists', { name })).data.id;
const run = (...args: string[]) => runPlacard(cloud, args);

test('a dry run says which screens would show something else, when, and from what to what', async () => {
  const deployTo = async (target: object, name: string) =>
    cloud.admin.post(`/v1/playlists/${await newPlaylist(name)}/deploy`, { targets: [target] });
  const tills: string[] = [];
  for (const name of ['Till 1', 'Till 2', 'Till 3', 'Till 4', 'Till 5']) {
    tills.push((await pairDevice(cloud, { name, tags: ['tills'] })).deviceId);
  }
  await deployTo({ type: 'tag', value: 'tills' }, 'Prices');
  const offers = await newPlaylist('Offers');
  const deploy = ['deploy', 'Offers', '--to', 'tag:tills', '--dry-run'];
  const [{ stdout }, { json }] = await Promise.all([run(...deploy), run(...deploy, '--json')]);
  const time = String.raw`\d{4}-\d\d-\d\dT\S+Z`;
  expect(stdout).toMatch(
    new RegExp(
      `^Nothing was changed\\. 5 screens would show something else between ${time} and ${time}\\.\n` +
        'SCREENS +FROM +TO +INSTEAD OF +WOULD SHOW\n' +
        `Till \\d, Till \\d, Till \\d and 2 more +${time} +${time} +Prices +Offers\n$`,
    ),
  );
  expect(json).toMatchObject({
    playlist_id: offers,
    dry_run: { device_count: 5, groups: [{ device_count: 5 }] },
  });
  expect(json.dry_run.groups[0].devices).toHaveLength(5);

  await deployTo({ type: 'device', id: tills[0] }, 'Own 1');
  await deployTo({ type: 'device', id: tills[1] }, 'Own 2');
  const times = ['--from', '08:00', '--to', '08:05', '--dry-run', '--target'];
  const short = ['schedule', 'create', 'Short', '--playlist', 'Offers', ...times];
  const [many, none] = await Promise.all([run(...short, 'tag:tills'), run(...short, 'tag:nobody-has-this')]);
  expect(many.stdout.match(/ (Prices|Own \d) +Offers\n/g), 'a week of each').toHaveLength(20);
  expect(many.stderr).toBe('These are the first 20 of 21 changes; --json prints more of them.\n');
  expect(none.stdout).toMatch(/^Nothing was changed\. No screen would show something else [^\n]*\n$/);
});

test('screens are paired, listed, shown, changed and removed', async () => {
  const { data: session } = await startPairing(cloud);
  const paired = await run('pair', session.code, '--name', 'Window', '--tags', 'street,menu');
  expect(paired.stdout).toMatch(/^Paired Window \(dev_/);
  const table = (await run('devices')).stdout.split('\n');
  expect(table[0]).toMatch(/^ID +NAME +STATUS/);
  expect(table[1]).toMatch(/Window .*street, menu/);
  expect((await run('devices', 'list', '--tag', 'nobody')).stdout).toBe('None.\n');
  await run('devices', 'set', 'window', '--name', 'Door', '--add-tag', 'new', '--remove-tag', 'street');
  const { json } = await run('devices', 'show', 'Door', '--json');
  expect(json).toMatchObject({ name: 'Door', tags: ['menu', 'new'] });
  expect((await run('devices', 'show', 'Door')).stdout).toMatch(/name +Door/);
  expect((await run('devices', 'remove', 'Door')).code).toBe(2);
  expect((await run('devices', 'remove', 'Door', '--yes')).stdout).toBe(`Removed ${json.id}.\n`);
  expect((await run('devices', 'show', 'Door')).code).toBe(4);
});

test('a command is sent and waited for', async () => {
  const { deviceId, client } = await pairDevice(cloud, { name: 'Obedient', tags: ['wait'] });
  const running = startPlacard(cloud, ['command', 'refresh', '--tag', 'wait', '--wait']);
  const [sent] = await eventually(async () => {
    const { data } = await cloud.admin.get(`/v1/commands?device_id=${deviceId}`);
    expect(data).toHaveLength(1);
    return data;
  });
  await client.post(`/v1/player/commands/${sent.id}/status`, { status: 'succeeded' });
  const finished = await running.finished;
  expect([finished.code, finished.stdout]).toEqual([0, expect.stringMatching(/REFRESH +succeeded/)]);
  expect((await run('commands', '--device', 'Obedient')).stdout).toContain('REFRESH');
});

test('a command to many screens is one operation, and names those that could not get it', async () => {
  const { deviceId } = await pairDevice(cloud, { name: 'First of many', tags: ['many'] });
  const { deviceId: second } = await pairDevice(cloud, { name: 'Second of many', tags: ['many'] });
  const { code, json } = await run('command', 'refresh', '--tag', 'many', '--json');
  expect([code, json]).toEqual([
    0,
    expect.objectContaining({ filter: { tag: 'many' }, status: 'finished', succeeded: 2 }),
  ]);
  for (const id of [deviceId, second]) {
    expect((await cloud.admin.get(`/v1/commands?device_id=${id}`)).data).toMatchObject([
      { command: 'REFRESH' },
    ]);
  }
  const named = await run('command', 'refresh', 'First of many', GONE);
  expect([named.code, named.stdout, named.stderr]).toEqual([
    1,
    'Sent REFRESH to 1 screens.\n',
    expect.stringMatching(new RegExp(`DEVICE +NAME +FAILED\n${GONE} .+\n.*1 of 2 did not succeed`)),
  ]);
  const nobody = await run('command', 'refresh', '--where', 'tag:nobody-has-this');
  expect([nobody.code, nobody.stderr]).toEqual([4, expect.stringContaining('There are no such screens.')]);
});

test('many screens are changed, each change to those that the filter found at first', async () => {
  const store = (await cloud.admin.post('/v1/stores', { name: 'Old store' })).data.id;
  const { deviceId } = await pairDevice(cloud, { name: 'Moved', tags: ['spring'], store_id: store });
  const { deviceId: second } = await pairDevice(cloud, { name: 'Moved too', store_id: store });
  const where = ['--where', 'store:old store', '--where', 'search:moved'];
  const changes = ['--store=none', '--orientation=portrait', '--add-tag=summer', '--remove-tag=spring'];
  const { code, json } = await run('devices', 'set', ...where, ...changes, '--json');
  expect([code, json.map((each: Json) => [each.action.type, each.succeeded])]).toEqual([
    0,
    [
      ['add_tags', 2],
      ['remove_tags', 2],
      ['set_store', 2],
      ['set_orientation', 2],
    ],
  ]);
  for (const id of [deviceId, second]) {
    expect((await cloud.admin.get(`/v1/devices/${id}`)).data).toMatchObject({
      tags: ['summer'],
      store_id: null,
      orientation: 'portrait',
    });
  }
  const input = `${deviceId}\n\n${GONE}\n`;
  const some = await runPlacard(cloud, ['devices', 'set', '-', '--add-tag', 'listed', '--json'], { input });
  expect([some.code, JSON.parse(some.stderr).error]).toEqual([
    1,
    {
      code: 'SOME_FAILED',
      message: '1 of 2 did not succeed.',
      details: [
        expect.objectContaining({
          device_id: GONE,
          error: expect.objectContaining({ code: 'DEVICE_NOT_FOUND' }),
        }),
      ],
    },
  ]);
  expect((await cloud.admin.get(`/v1/devices/${deviceId}`)).data.tags).toEqual(['summer', 'listed']);
});

test('a playlist is deployed to the screens of a filter, and operations are listed, shown and cancelled', async () => {
  const { deviceId } = await pairDevice(cloud, { name: 'Base', tags: ['base'] });
  const playlist = (await cloud.admin.post('/v1/playlists', { name: 'Base', mode: 'sequential', items: [] }))
    .data.id;
  expect(await run('deploy', 'base', '--where', 'tag:base')).toMatchObject({
    code: 0,
    stdout: 'Deployed to 1 screens.\n',
  });
  expect((await cloud.admin.get(`/v1/deployments?device_id=${deviceId}`)).data[0].playlist_id).toBe(playlist);
  const failed = await run('deploy', 'base', deviceId, GONE);
  expect([failed.code, failed.stdout, failed.stderr]).toEqual([
    1,
    'Deployed to 1 screens.\n',
    expect.stringContaining(GONE),
  ]);
  const [operation] = (await run('operations', '--status', 'finished', '--json')).json;
  expect(operation.action).toEqual({ type: 'deploy', playlist_id: playlist });
  expect((await run('operations', 'show', operation.id)).stdout).toMatch(
    /deploy +finished +2 +1 +1[^]+DEVICE_?/,
  );
  expect((await run('operations', 'cancel', operation.id)).stdout).toContain('It is finished; 1 of 2');
});

test('who deploys to screens is warned of what they cannot play, also by a dry run, which deploys nothing', async () => {
  const screens = [await pairDevice(cloud, { name: 'Old 1' }), await pairDevice(cloud, { name: 'Old 2' })];
  for (const { client } of screens) {
    await client.post('/v1/player/capabilities', capabilitiesWithout('hevc'));
  }
  const file = join(import.meta.dirname, '../../cloud/test/media/blue-hevc.mp4');
  await run('upload', file);
  await run('playlist', 'create', 'Hard', 'blue-hevc.mp4');
  const count = async () => (await cloud.admin.get('/v1/operations')).meta.total;
  const before = await count();
  const warning = 'Warning: 2 screens cannot decode HEVC: Old 1, Old 2. Video: “blue-hevc.mp4”.\n';
  const tried = await run('deploy', 'Hard', 'Old 1', 'Old 2', '--dry-run');
  expect(tried).toMatchObject({ code: 0, stdout: 'Nothing was changed.\n', stderr: warning });
  expect(await count()).toBe(before);
  const done = await run('deploy', 'Hard', 'Old 1', 'Old 2');
  expect([done.code, done.stdout]).toEqual([0, 'Deployed to 2 screens.\n']);
  expect(done.stderr).toContain(warning);
  const { json } = await run('deploy', 'Hard', 'Old 1', 'Old 2', '--json');
  expect(json).toMatchObject({
    succeeded: 2,
    warnings: [{ code: 'SCREENS_CANNOT_DECODE', device_count: 2 }],
  });

  const replaced = await run('upload', file, '--replace', 'blue-hevc.mp4');
  expect(replaced).toMatchObject({ code: 0, stdout: expect.stringContaining('Replaced the file of') });
  expect(replaced.stderr).toBe(warning);
});

test('which screens are meant must be clear before anything is sent', async () => {
  const before = (await cloud.admin.get('/v1/operations')).meta.total;
  await expectWrongArguments(cloud, [
    ['command', 'refresh'],
    ['command', 'refresh', 'Window', '--all'],
    ['command', 'refresh', '--all', '--tag', 'x'],
    ['devices', 'set', '--add-tag', 'x'],
    ['devices', 'set', '--where', 'all', '--name', 'Everywhere'],
    ['devices', 'set', '--where', 'colour:red', '--add-tag', 'x'],
    ['devices', 'set', '--where', 'tag:a', '--where', 'tag:b', '--add-tag', 'x'],
    ['deploy', 'base'],
    ['deploy', 'base', '--to', 'all', '--where', 'tag:a'],
  ]);
  expect((await cloud.admin.get('/v1/operations')).meta.total).toBe(before);
});

test('screens are narrowed by region and by store, with one request for each page', async () => {
  const newStore = async (name: string, region: string): Promise<string> =>
    (await cloud.admin.post('/v1/stores', { name, region })).data.id;
  const stores = [await newStore('Munich', 'Bavaria'), await newStore('Passau', 'Bavaria')];
  stores.push(await newStore('Kiel', 'Holstein'));
  for (const store_id of stores) {
    await pairDevice(cloud, { name: `In ${store_id}`, store_id });
  }
  const { url, requests } = await watchRequests(cloud.cloud.url);
  const { json } = await runPlacard(cloud, ['timeline', '--region=bavaria', '--json'], {
    env: { PLACARD_SERVER: url },
  });
  expect(json.map((each: Json) => each.store.name)).toEqual(['Passau', 'Munich']);
  expect(requests.map((each) => each.split('?')[0])).toEqual(['GET /v1/timeline']);
  const inMunich = await run('timeline', '--region=Bavaria', '--store=Munich', '--json');
  expect(inMunich.json.map((each: Json) => each.store.name)).toEqual(['Munich']);
  expect((await run('timeline', '--region=Bavaria', '--store=Kiel', '--json')).json).toEqual([]);
});
