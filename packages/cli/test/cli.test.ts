import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { pairDevice, startPairing } from '../../cloud/test/support/paired-device.ts';
import { ADMIN_KEY, startTestCloud } from '../../cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../cloud/test/support/test-cloud.ts';
import { newConfigFolder, runPlacard, startPlacard } from './support/run-placard.ts';
import type { RunOptions } from './support/run-placard.ts';
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
/** The exit code of wrong arguments, for each of these. */
async function expectWrongArguments(commands: string[][]): Promise<void> {
  const codes = await Promise.all(commands.map(async (args) => [args, (await run(...args)).code]));
  expect(codes).toEqual(commands.map((args) => [args, 2]));
}
const runWith = (options: RunOptions, ...args: string[]) => runPlacard(cloud, args, options);

test('login checks the key, keeps it in a file that only the user can read, and logout forgets it', async () => {
  const folder = newConfigFolder();
  const env = {
    XDG_CONFIG_HOME: folder,
    APPDATA: folder,
    PLACARD_API_KEY: undefined,
    PLACARD_SERVER: undefined,
  };
  const { url } = cloud.cloud;
  const wrong = await runWith({ env, input: 'wrong\n' }, 'login', '--server', url);
  expect([wrong.code, wrong.stdout]).toEqual([3, '']);
  const right = await runWith({ env, input: `${ADMIN_KEY}\n` }, 'login', '--server', url);
  expect([right.code, right.stdout]).toEqual([0, expect.stringContaining(`Logged in to`)]);
  const path = join(folder, process.platform === 'win32' ? 'Placard' : 'placard', 'cli.json');
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ server: url, apiKey: ADMIN_KEY });
  // Windows protects the folder of a user instead.
  expect(process.platform === 'win32' || (statSync(path).mode & 0o777) === 0o600).toBe(true);
  expect((await runWith({ env }, 'whoami', '--json')).json).toMatchObject({ server: url });
  const other = await runWith({ env }, 'whoami', '--server', 'http://127.0.0.1:9');
  expect([other.code, other.stderr]).toEqual([3, expect.stringContaining('no key for http://127.0.0.1:9')]);
  await runWith({ env }, 'logout');
  expect((await runWith({ env }, 'whoami')).code).toBe(3);
});

test('errors are the sentence of the cloud, with where to read more, and an exit code', async () => {
  const missing = await run('devices', 'show', 'dev_none');
  expect(missing.code).toBe(4);
  expect(missing.stderr).toMatch(/^placard: .*\n {2}DEVICE_NOT_FOUND: http/);
  const json = await run('devices', 'show', 'dev_none', '--json');
  expect([json.code, JSON.parse(json.stderr).error]).toEqual([
    4,
    expect.objectContaining({ code: 'DEVICE_NOT_FOUND', status: 404, doc_url: expect.any(String) }),
  ]);
  const invalid = await run('stores', 'create', 'Berlin', '--timezone', 'nowhere');
  expect([invalid.code, invalid.stderr]).toEqual([
    1,
    expect.stringMatching(/^placard: timezone: must be an IANA time zone.*\n {2}VALIDATION_ERROR: http.*\n$/),
  ]);
  const twice = await run('stores', 'create', '', '--timezone', 'nowhere');
  expect(twice.stderr).toMatch(
    /^placard: The request is not valid:\n {2}name: .*\n {2}timezone: .*\n {2}VALIDATION_ERROR: http.*\n$/,
  );
  const away = await runWith(
    { env: { PLACARD_SERVER: 'http://127.0.0.1:9' } },
    'api',
    'DELETE',
    '/v1/nothing',
  );
  expect([away.code, away.stderr]).toEqual([
    5,
    expect.stringContaining('No connection to http://127.0.0.1:9'),
  ]);
  await expectWrongArguments([
    ['nonsense'],
    ['pair'],
    ['devices', 'set', 'dev_x'],
    ['command', 'DANCE', 'dev_x'],
  ]);
});

test('with --json every error is JSON with a code, also one that is found before anything is sent', async () => {
  const away = { PLACARD_API_KEY: undefined, XDG_CONFIG_HOME: newConfigFolder(), APPDATA: newConfigFolder() };
  const cases: [code: string, exit: number, message: RegExp, args: string[], env?: NodeJS.ProcessEnv][] = [
    ['WRONG_ARGUMENTS', 2, /unknown command 'devcies' \(Did you mean devices\?\)/, ['devcies']],
    ['WRONG_ARGUMENTS', 2, /missing required argument 'code'/, ['pair']],
    ['WRONG_ARGUMENTS', 2, /Which command\?/, []],
    ['WRONG_ARGUMENTS', 2, /--server must be the address/, ['devices', '--server', 'nonsense']],
    ['WRONG_ARGUMENTS', 2, /Which screens\?/, ['command', 'refresh']],
    ['NO_KEY', 3, /run "placard login"/, ['devices'], away],
    ['NOT_FOUND', 4, /No device is named "Nobody"/, ['devices', 'show', 'Nobody']],
    ['FILE_FAILED', 1, /no such file/, ['plays', '--output', '/nowhere/plays.csv']],
  ];
  const all = await Promise.all(
    cases.map(async (each) => [each, await runWith({ env: each[4] ?? {} }, ...each[3], '--json')] as const),
  );
  for (const [[code, exit, message], failed] of all) {
    expect([failed.code, failed.stdout], code).toEqual([exit, '']);
    expect(JSON.parse(failed.stderr)).toEqual({ error: { code, message: expect.stringMatching(message) } });
  }
});

test('an empty key is none, and an address that is none is a wrong argument', async () => {
  const config = newConfigFolder();
  const env = { XDG_CONFIG_HOME: config, APPDATA: config, PLACARD_API_KEY: '' };
  const empty = await runWith({ env }, 'devices');
  expect([empty.code, empty.stderr]).toEqual([
    3,
    `placard: There is no key for ${cloud.cloud.url}, and PLACARD_API_KEY is empty: run "placard login", or set PLACARD_API_KEY to one.\n`,
  ]);
  await runWith({ env, input: `${ADMIN_KEY}\n` }, 'login');
  expect((await runWith({ env }, 'devices')).code, 'that of the login').toBe(0);
  const wrong = await Promise.all([
    run('devices', '--server', 'localhost:8787'),
    run('devices', '--server', 'https://me:secret@example.com'),
    runWith({ env: { PLACARD_SERVER: 'nonsense' } }, 'login'),
  ]);
  expect(wrong.map(({ code, stderr }) => [code, stderr])).toEqual(
    ['--server', '--server', 'PLACARD_SERVER'].map((source) => [
      2,
      `placard: ${source} must be the address of the cloud, such as https://signage.example.com, without a user or a password.\n`,
    ]),
  );
});

test('a name that nothing has is answered with near ones', async () => {
  await pairDevice(cloud, { name: 'Lobby' });
  await pairDevice(cloud, { name: 'Bakery window' });
  await cloud.admin.post('/v1/stores', { name: 'Harbour' });
  const cases = [
    [['devices', 'show', 'Lobi'], 'No device is named "Lobi". Did you mean "Lobby"?'],
    [['timeline', 'bakery windwo'], 'No device is named "bakery windwo". Did you mean "Bakery window"?'],
    [['devices', 'show', 'Qqqqqq'], 'No device is named "Qqqqqq".'],
    [['devices', 'list', '--store', 'Harbor'], 'No store is named "Harbor". Did you mean "Harbour"?'],
  ] as const;
  const failed = await Promise.all(cases.map(([args]) => run(...args)));
  expect(failed.map(({ code, stderr }) => [code, stderr])).toEqual(
    cases.map(([, message]) => [4, `placard: ${message}\n`]),
  );
});

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

test('events are followed, one line each', async () => {
  const running = startPlacard(cloud, ['events', '--follow', '--json', '--types', 'playlist.created']);
  await eventually(async () => {
    await cloud.admin.post('/v1/playlists', { name: 'Followed', mode: 'sequential', items: [] });
    expect(running.lines.length).toBeGreaterThan(0);
  });
  expect(JSON.parse(running.lines[0] ?? '')).toMatchObject({
    type: 'playlist.created',
    data: { playlist: { name: 'Followed' } },
  });
  running.child.kill('SIGTERM');
  expect((await running.finished).code).toBe(130);
  const list = await run('events', '--types', 'playlist.*', '--limit', '1');
  expect(list.stdout).toMatch(/^TIME +TYPE/);
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
  const some = await runWith({ input }, 'devices', 'set', '-', '--add-tag', 'listed', '--json');
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

test('a rollout is started, listed, shown, stopped and deleted', async () => {
  await pairDevice(cloud, { name: 'Rolled out', tags: ['rollout'] });
  const where = ['--where', 'tag:rollout'];
  const started = await run(
    'rollouts',
    'start',
    '9.0.0',
    ...where,
    '--rings',
    '5,100',
    '--hold',
    '24',
    '--json',
  );
  expect(started.json).toMatchObject({ version: '9.0.0', filter: { tag: 'rollout' }, hold_hours: 24 });
  const { id } = started.json;
  expect((await run('rollouts')).stdout).toMatch(new RegExp(`${id} +9\\.0\\.0`));
  expect((await run('rollouts', 'show', id, '--json')).json).toMatchObject({ id, failed_devices: [] });
  expect(await run('rollouts', 'continue', id)).toMatchObject({ code: 1 });
  expect((await run('rollouts', 'stop', id)).stdout).toContain('The rollout of 9.0.0 is stopped. Stopped by');
  expect((await run('rollouts', 'delete', id)).stdout).toBe(`The rollout ${id} is deleted.\n`);
  await expectWrongArguments([
    ['rollouts', 'start'],
    ['rollouts', 'start', '9.0.0', '--rings', 'few'],
    ['rollouts', 'start', '9.0.0', '--where', 'status:online'],
  ]);
});

test('which screens are meant must be clear before anything is sent', async () => {
  const before = (await cloud.admin.get('/v1/operations')).meta.total;
  await expectWrongArguments([
    ['command', 'refresh'],
    ['command', 'refresh', 'Window', '--all'],
    ['command', 'refresh', '--all', '--tag', 'x'],
    ['devices', 'set', '--add-tag', 'x'],
    ['devices', 'set', '--where', 'all', '--name', 'Everywhere'],
    ['devices', 'set', '--where', 'colour:red', '--add-tag', 'x'],
    ['devices', 'set', '--where', 'tag:a', '--where', 'tag:b', '--add-tag', 'x'],
    ['deploy', 'base'],
    ['deploy', 'base', '--to', 'all', '--where', 'tag:a'],
    ['deploy', 'base', '--where', 'all', '--dry-run'],
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
  const { json } = await runWith({ env: { PLACARD_SERVER: url } }, 'timeline', '--region=bavaria', '--json');
  expect(json.map((each: Json) => each.store.name)).toEqual(['Passau', 'Munich']);
  expect(requests.map((each) => each.split('?')[0])).toEqual(['GET /v1/timeline']);
  const inMunich = await run('timeline', '--region=Bavaria', '--store=Munich', '--json');
  expect(inMunich.json.map((each: Json) => each.store.name)).toEqual(['Munich']);
  expect((await run('timeline', '--region=Bavaria', '--store=Kiel', '--json')).json).toEqual([]);
});

test('any other operation can be called', async () => {
  const { json } = await run('api', 'PATCH', '/v1/organization', '--data', '{"name":"Bakery"}');
  expect(json.data.name).toBe('Bakery');
  expect((await run('api', 'GET', '/v1/stores?limit=1')).json.meta).toMatchObject({ limit: 1 });
});

test('logs are the changes, or the faults of a screen; open prints an address', async () => {
  await run('stores', 'create', 'Logged');
  expect((await run('logs')).stdout).toMatch(/store\.created +Logged/);
  await pairDevice(cloud, { name: 'Healthy' });
  expect((await run('logs', '--device', 'Healthy')).stdout).toBe('None.\n');
  expect((await run('open', 'docs', '--print')).stdout).toBe(`${cloud.cloud.url}/docs\n`);
  for (const page of [[], ['console']]) {
    expect((await run('open', ...page, '--print')).stdout).toBe(`${cloud.cloud.url}/\n`);
  }
});

/** What bash offers after these words. */
async function complete(...words: string[]): Promise<string[]> {
  const script = (await run('completion', 'bash')).stdout;
  const line = words.map((word) => `'${word}'`).join(' ');
  const program = `${script}\nCOMP_WORDS=(placard ${line}); COMP_CWORD=${words.length}; _placard; echo "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', program]);
  return stdout.trim().split(' ');
}

test.skipIf(process.platform === 'win32')('bash completes commands and options', async () => {
  expect(await complete('sch')).toEqual(['schedule']);
  expect(await complete('schedule', 'act')).toEqual(['activate']);
  expect(await complete('schedule', 'create', 'Name', '--pl')).toEqual(['--playlist']);
  expect(await complete('devices', '--json', 'li')).toEqual(['list']);
});

test('zsh and PowerShell get completions as well', async () => {
  expect((await run('completion', 'zsh')).stdout).toContain('#compdef placard');
  expect((await run('completion', 'powershell')).stdout).toContain('Register-ArgumentCompleter');
  expect((await run('completion', 'fish')).code).toBe(2);
});
