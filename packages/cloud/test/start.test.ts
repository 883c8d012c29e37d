import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCloud } from '@placard/cloud';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { startTestCloud } from './support/test-cloud.ts';
import { CLOUD_MAIN } from './support/command-line.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { png } from './support/media.ts';
import { pairDevice } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = tempDir();
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
  }
});

interface RunningCommand {
  child: ChildProcess;
  /** All output on stdout so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves with stdout once the pattern is in it. */
  waitForOutput(pattern: RegExp): Promise<RegExpMatchArray>;
  exit: Promise<{ code: number | null; signal: string | null }>;
}

function run(args: string[], env: Record<string, string> = {}): RunningCommand {
  const child = spawn(process.execPath, [CLOUD_MAIN, ...args], {
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  // By then all its output has been read.
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    exit,
    waitForOutput: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = stdout.match(pattern);
          if (found) {
            resolve(found);
          }
        };
        child.stdout.on('data', look);
        void exit.then(() => reject(new Error(`ended before printing ${pattern}: ${stdout}${stderr}`)));
        look();
      }),
  };
}

const data = () => ['--data', join(folder, 'data'), '--port', '0'];

test('the first start prints an Admin key that works, also with empty variables, the second start none', async () => {
  // An empty variable counts as unset.
  const first = run(data(), { PLACARD_ADMIN_KEY: '', PLACARD_KEEP_DAYS: '', PLACARD_LOG_LEVEL: '' });
  const [, api] = await first.waitForOutput(/API +(\S+)/);
  const [, key] = await first.waitForOutput(/Admin key +(plk_\S+)/);
  const answer = await fetch(`${api}/api-keys`, { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
  first.child.kill('SIGTERM');
  expect(await first.exit).toEqual({ code: 0, signal: null });

  const second = run([...data(), '--admin-key', 'another-admin-key-0001']);
  const [, again] = await second.waitForOutput(/API +(\S+)/);
  expect(second.stdout()).not.toContain('Admin key');
  const old = await fetch(`${again}/api-keys`, { headers: { authorization: `Bearer ${key}` } });
  expect(old.status).toBe(200);
  second.child.kill('SIGINT');
  expect((await second.exit).code).toBe(0);
});

test('a given key is not printed, and settings come from the environment, overridden by flags', async () => {
  const cloud = run(['--public-url', 'https://flag.example'], {
    PLACARD_DATA: join(folder, 'env'),
    PLACARD_PORT: '0',
    PLACARD_ADMIN_KEY: 'key-from-the-environment',
    PLACARD_PUBLIC_URL: 'https://env.example',
  });
  await cloud.waitForOutput(/API +https:\/\/flag\.example\/v1/);
  await cloud.waitForOutput(/Data/);
  expect(await readdir(join(folder, 'env'))).toContain('cloud.sqlite');
  cloud.child.kill('SIGTERM');
  await cloud.exit;
  expect(cloud.stdout() + cloud.stderr()).not.toMatch(/Admin key|key-from-the-environment/);
});

test('with a first Admin key from a file, which process lists do not show, a client that disconnects during an upload does not crash the cloud', async () => {
  const file = join(folder, 'key');
  await writeFile(file, 'key-of-the-upload-0001\n', { mode: 0o600 });
  const cloud = run([...data(), '--admin-key-file', file, '--log-level', 'info']);
  const [, api] = await cloud.waitForOutput(/API +(\S+)/);
  const request = httpRequest(`${api}/content/upload`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer key-of-the-upload-0001',
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': 10_000_000,
    },
  });
  request.on('error', () => undefined);
  request.write('--x\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n');
  request.write(Buffer.alloc(100_000));
  await eventually(async () => expect(await readdir(join(folder, 'data', 'blobs', 'parts'))).toHaveLength(1));
  request.destroy();
  await eventually(() => expect(cloud.stderr()).toMatch(/"event":"request\.(aborted|crashed)"/));
  expect(cloud.stderr()).not.toContain('request.failed');
  const answer = await fetch(`${api}/api-keys`, {
    headers: { authorization: 'Bearer key-of-the-upload-0001' },
  });
  expect(answer.status).toBe(200);
  cloud.child.kill('SIGTERM');
  await cloud.exit;
  expect(cloud.stdout()).not.toContain('Admin key');
});

test('a cloud on all addresses prints a URL that other machines can reach, and stops its drain when it is asked again', async () => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
  const cloud = run([...data(), '--host', '0.0.0.0', '--drain', '600']);
  const [, api = '', host] = await cloud.waitForOutput(/API +(http:\/\/([\d.]+):\d+)\/v1/);
  expect(host).toBe(outside ?? '127.0.0.1');
  await cloud.waitForOutput(/Admin key/);
  cloud.child.kill('SIGTERM');
  await cloud.waitForOutput(/for 600 s/);
  expect((await fetch(`${api}/readyz`)).status).toBe(503);
  cloud.child.kill('SIGTERM');
  expect(await cloud.exit).toEqual({ code: 0, signal: null });
});

test('--help lists every setting and its environment variable', async () => {
  const cloud = run(['--help']);
  expect((await cloud.exit).code).toBe(0);
  for (const word of [
    '--port',
    '--host',
    '--data',
    '--public-url',
    '--admin-key-file',
    'PLACARD_PUBLIC_URL',
  ]) {
    expect(cloud.stdout()).toContain(word);
  }
});

/** Stderr of a start that must fail. */
async function refusalOf(args: string[]): Promise<string> {
  const cloud = run(args);
  expect((await cloud.exit).code).not.toBe(0);
  expect(cloud.stderr()).not.toContain('    at ');
  return cloud.stderr();
}

test.each([
  [['--prot', '1'], /unknown option '--prot'/],
  [['--port', 'x'], /--port.*0 to 65535/],
  [['--allow-address', 'here'], /--allow-address.*192\.168\.0\.0\/16/],
  [['--log-level', 'loud'], /--log-level.*trace, debug/],
  [['--admin-key-file', '/nowhere/key'], /nowhere\/key of --admin-key-file cannot be read \(ENOENT\)/],
  [
    ['--admin-key-file', 'package.json'],
    /package\.json of --admin-key-file must contain only a key.*16 to 200/,
  ],
  [['--admin-key-file', 'a', '--admin-key', 'key-of-the-line-0001'], /cannot be used with/],
  [['extra'], /too many arguments|unknown command/],
])('the invalid arguments %j give one clear sentence and an exit code', async (args, sentence) => {
  expect(await refusalOf(args)).toMatch(sentence);
});

test('an unusable data folder gives one clear sentence', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  expect(await refusalOf(['--data', join(file, 'x'), '--port', '0'])).toMatch(/cannot be written.*--data/);
  await writeFile(join(folder, 'cloud.sqlite'), 'this is not a database, and never was one at all');
  expect(await refusalOf(['--data', folder, '--port', '0'])).toMatch(/cannot be used.*--data/);
});

test('a second cloud cannot start in the folder or on the port of a running one, and does not disturb it', async () => {
  const first = run(data());
  await first.waitForOutput(/Admin key/);
  const [, port = ''] = await first.waitForOutput(/127\.0\.0\.1:(\d+)/);
  expect(await refusalOf(['--data', join(folder, 'other'), '--port', port])).toMatch(
    /Port \d+ .*already in use.*--port/,
  );
  const part = join(folder, 'data', 'blobs', 'parts', 'just-arriving');
  await writeFile(part, 'half');
  expect(await refusalOf(data())).toMatch(/Another cloud already uses.*--data/);
  expect(await readdir(join(folder, 'data', 'blobs', 'parts'))).toEqual(['just-arriving']);
  // A deleted lock file still keeps it out, and is made again.
  await rm(join(folder, 'data', 'cloud.lock'));
  expect(await refusalOf(data())).toMatch(/Another cloud already uses.*--data/);
  await eventually(() => expect(first.stderr()).toContain('lock.renewed'));
  first.child.kill('SIGKILL');
  await first.exit;
  const next = run(data());
  await next.waitForOutput(/API/);
  next.child.kill('SIGTERM');
  expect((await next.exit).code).toBe(0);
});

test('a database of a newer version is rejected and left unchanged', async () => {
  const dataDir = join(folder, 'data');
  await (await startCloud({ port: 0, host: '127.0.0.1', dataDir, logLevel: 'fatal' })).close();
  const file = join(dataDir, 'cloud.sqlite');
  const database = new Sqlite(file);
  database
    .prepare('insert into kysely_migration (name, timestamp) values (?, ?)')
    .run('9999-future', new Date().toISOString());
  database.close();
  const second = run(data());
  expect((await second.exit).code).not.toBe(0);
  expect(second.stderr()).toMatch(/newer version.*9999-future/);
});

test('a stop with an open socket and a running request is quick', async () => {
  const cloud = await startTestCloud();
  const screen = await pairDevice(cloud);
  const socket = await openPlayerSocket(cloud.cloud.url, screen.token);
  await socket.next();
  await cloud.cloud.close();
  expect((await socket.closed).code).toBe(1001);
  await rm(cloud.dataDir, { recursive: true });
});

test('all data is still there after a restart', async () => {
  const cloud = await startTestCloud();
  const screen = await pairDevice(cloud);
  const asset = (await cloud.admin.upload(await png(1), 'a.png')).data;
  const playlist = (await cloud.admin.post('/v1/playlists', { name: 'P', items: [{ content_id: asset.id }] }))
    .data;
  await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, {
    targets: [{ type: 'device', id: screen.deviceId }],
  });
  const before = (await screen.client.get('/v1/player/manifest')).data;
  await cloud.restart();
  expect((await screen.client.get('/v1/player/manifest')).data).toEqual(before);
  expect((await fetch(before.assets[0].url)).status).toBe(200);
  await cloud.close();
});

test('partial uploads left by a crash are deleted at the next start', async () => {
  const cloud = await startTestCloud();
  const part = join(cloud.dataDir, 'blobs', 'parts', 'left-over');
  await writeFile(part, 'half a file');
  await chmod(part, 0o600);
  await cloud.restart();
  expect(await readdir(join(cloud.dataDir, 'blobs', 'parts'))).toEqual([]);
  await cloud.close();
});

test('everything on stderr of a running cloud is JSON lines, also the output of Node and libraries', async () => {
  const trouble =
    "let n = 0; process.on('SIGUSR2', () => { if (n++ > 0) throw new Error('gone wrong'); " +
    "process.emitWarning('too many listeners'); console.error('said by %s', 'a library'); })";
  const cloud = run(data(), {
    NODE_NO_WARNINGS: '',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(trouble)}`,
  });
  await cloud.waitForOutput(/Admin key/);
  cloud.child.kill('SIGUSR2');
  await eventually(() => expect(cloud.stderr()).toContain('a library'));
  cloud.child.kill('SIGUSR2');
  expect((await cloud.exit).code).toBe(1);
  const lines = cloud
    .stderr()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).event);
  expect(lines).toEqual(['process.printed', 'process.warned', 'process.crashed']);
});

test('the program has no character beyond ASCII, with which it would take twice the memory', async () => {
  const program = dirname(CLOUD_MAIN);
  const files = (await readdir(program)).filter((name) => name.endsWith('.js'));
  expect(files.length).toBeGreaterThan(3);
  for (const name of files) {
    // oxlint-disable-next-line no-control-regex
    expect((await readFile(join(program, name), 'utf8')).match(/[^\0-\x7f]/g), name).toBeNull();
  }
});
