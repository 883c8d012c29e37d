import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { pairDevice } from '../../cloud/test/support/paired-device.ts';
import { ADMIN_KEY, startTestCloud } from '../../cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../cloud/test/support/test-cloud.ts';
import { expectWrongArguments, newConfigFolder, runPlacard, startPlacard } from './support/run-placard.ts';
import type { RunOptions } from './support/run-placard.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const run = (...args: string[]) => runPlacard(cloud, args);
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
  await expectWrongArguments(cloud, [
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
  expect((await run('rollouts', 'show', id)).stderr, 'it is for some').toContain('a rollout for all screens');
  expect(await run('rollouts', 'continue', id)).toMatchObject({ code: 1 });
  expect((await run('rollouts', 'stop', id)).stdout).toContain('The rollout of 9.0.0 is stopped. Stopped by');
  expect((await run('rollouts', 'delete', id)).stdout).toBe(`The rollout ${id} is deleted.\n`);
  const told = (await run('events', '--resource', id)).stdout;
  expect(told, 'without a name').toMatch(new RegExp(`rollout\\.created +${id} +–`));
  expect(told).toContain('rollout.deleted');
  await expectWrongArguments(cloud, [
    ['rollouts', 'start'],
    ['rollouts', 'start', '9.0.0', '--rings', 'few'],
    ['rollouts', 'start', '9.0.0', '--where', 'status:online'],
  ]);
});

test('a rollout is shown with its rings, what it holds, and at most 100 of the screens that could not update', async () => {
  const { id } = (await run('rollouts', 'start', '9.1.0', '--rings', '50,100', '--hold', '24', '--json'))
    .json;
  await cloud.inDatabase(async (db) => {
    const observed_from = Date.UTC(2026, 10, 20, 8);
    await db
      .updateTable('rollouts')
      .set({ status: 'running', ring: 1, fleet: 104, self_updating: 2, observed_from })
      .where('id', '=', id)
      .execute();
    const devices = Array.from({ length: 104 }, (_each, position) => ({
      rollout_id: id,
      position,
      device_id: `dev_${position}`,
      ring: position < 102 ? 1 : 2,
      kind: 'NUC with electron',
      from_version: '9.0.0',
      status: position < 101 ? ('failed' as const) : ('waiting' as const),
      code: position < 101 ? 'no_space' : null,
    }));
    await db.insertInto('rollout_devices').values(devices).execute();
  });
  const { stdout, stderr } = await run('rollouts', 'show', id);
  expect(stdout).toMatch(
    /UP TO +SCREENS +NOT TOLD +TOLD +UPDATED +FAILED\n50 % +102 +1 +0 +0 +101\n100 % +2 +2/,
  );
  expect(stdout.match(/no_space/g)).toHaveLength(100);
  expect(stderr).toContain('No screen updates of its own accord until it has finished.');
  expect(stderr).toContain('update of their own accord: 2.');
  expect(stderr).toContain(
    'The screens of ring 1 are compared since 2026-11-20T08:00:00.000Z, 24 hours in all.',
  );
  expect(stderr).toContain('1 more could not update.');
  const { json } = await run('rollouts', 'show', id, '--json');
  expect(json.compared_since).toBe('2026-11-20T08:00:00.000Z');
  expect(json.failed_devices).toHaveLength(100);
  await run('rollouts', 'stop', id);
  await run('rollouts', 'delete', id);
});

test('any other operation can be called', async () => {
  const { json } = await run('api', 'PATCH', '/v1/organization', '--data', '{"name":"Bakery"}');
  expect(json.data.name).toBe('Bakery');
  expect((await run('api', 'GET', '/v1/stores?limit=1')).json.meta).toMatchObject({ limit: 1 });
});

test('the logs of the program of a screen are saved in a folder', async () => {
  const screen = await pairDevice(cloud, { name: 'Logging' });
  const folder = join(newConfigFolder(), 'logs');
  const answer = async (report: (id: string) => Promise<{ status: number }>) => {
    const id = await eventually(async () => {
      const { data } = await cloud.admin.get(`/v1/devices/${screen.deviceId}/logs`);
      expect(data.request?.finished_at).toBeNull();
      return data.request.id;
    });
    expect((await report(id)).status).toBe(200);
  };
  const saving = run('logs', '--device', 'Logging', '--save', folder, '--json');
  const files = [{ name: 'runtime.log', text: 'Zürich ✓\n' }];
  const bundle = gzipSync(JSON.stringify({ files })).toString('base64');
  await answer((id) => {
    const taken_at = new Date(cloud.clock.nowMs()).toISOString();
    return screen.client.post('/v1/player/logs', { command_id: id, taken_at, bundle });
  });
  const { json, code, stderr } = await saving;
  expect(code, stderr).toBe(0);
  expect(json).toEqual({ files: [join(folder, 'runtime.log')] });
  expect(await readFile(json.files[0], 'utf8')).toBe('Zürich ✓\n');

  const failing = run('logs', '--device', 'Logging', '--save', folder);
  const failed = { status: 'failed', result: { reason: 'no space' } };
  await answer((id) => screen.client.post(`/v1/player/commands/${id}/status`, failed));
  expect(await failing).toMatchObject({ code: 1, stderr: expect.stringContaining('has sent no logs') });
  await expectWrongArguments(cloud, [['logs', '--save', folder]]);
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
