import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestCloud } from './support/cloud.ts';
import { MAIN } from './support/command-line.ts';
import { eventually } from './support/eventually.ts';
import { png } from './support/media.ts';
import { pairScreen } from './support/screen.ts';
import { openSocket } from './support/socket.ts';

let folder: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'placard-start-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

interface Run {
  child: ChildProcess;
  /** All of stdout so far. */
  out(): string;
  err(): string;
  /** Resolves with stdout once the pattern is in it. */
  says(pattern: RegExp): Promise<RegExpMatchArray>;
  exit: Promise<{ code: number | null; signal: string | null }>;
}

function run(args: string[], env: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, NODE_NO_WARNINGS: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let [out, err] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (out += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (err += bytes.toString()));
  const exit = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  return {
    child,
    out: () => out,
    err: () => err,
    exit,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = out.match(pattern);
          if (found) resolve(found);
        };
        child.stdout.on('data', look);
        void exit.then(() => reject(new Error(`ended before saying ${pattern}: ${out}${err}`)));
        look();
      }),
  };
}

const data = () => ['--data', join(folder, 'data'), '--port', '0'];

test('the first start prints an Admin key that works, the second start none', async () => {
  const first = run(data());
  const [, api] = await first.says(/API +(\S+)/);
  const [, key] = await first.says(/Admin key +(\S+)/);
  const answer = await fetch(`${api}/api-keys`, { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
  first.child.kill('SIGTERM');
  expect(await first.exit).toEqual({ code: 0, signal: null });

  const second = run([...data(), '--admin-key', 'another-admin-key-0001']);
  const [, again] = await second.says(/API +(\S+)/);
  expect(second.out()).not.toContain('Admin key');
  const old = await fetch(`${again}/api-keys`, { headers: { authorization: `Bearer ${key}` } });
  expect(old.status).toBe(200);
  second.child.kill('SIGINT');
  expect((await second.exit).code).toBe(0);
});

test('a key that was given is not printed, and settings come from the environment; flags win over it', async () => {
  const cloud = run(['--public-url', 'https://flag.example'], {
    PLACARD_DATA: join(folder, 'env'),
    PLACARD_PORT: '0',
    PLACARD_ADMIN_KEY: 'key-from-the-environment',
    PLACARD_PUBLIC_URL: 'https://env.example',
  });
  await cloud.says(/API +https:\/\/flag\.example\/v1/);
  await cloud.says(/Data/);
  expect(await readdir(join(folder, 'env'))).toContain('cloud.sqlite');
  cloud.child.kill('SIGTERM');
  await cloud.exit;
  expect(cloud.out() + cloud.err()).not.toMatch(/Admin key|key-from-the-environment/);
});

test('a client that leaves in the middle of an upload is no crash', async () => {
  const cloud = run([...data(), '--admin-key', 'key-of-the-upload-0001', '--log-level', 'info']);
  const [, api] = await cloud.says(/API +(\S+)/);
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
  await eventually(() => expect(cloud.err()).toMatch(/"event":"request\.(aborted|crashed)"/));
  expect(cloud.err()).not.toContain('request.crashed');
  cloud.child.kill('SIGTERM');
  await cloud.exit;
});

test('an empty variable is none', async () => {
  const cloud = run(data(), { PLACARD_ADMIN_KEY: '', PLACARD_KEEP_DAYS: '', PLACARD_LOG_LEVEL: '' });
  await cloud.says(/Admin key +plk_/);
  cloud.child.kill('SIGTERM');
  expect((await cloud.exit).code).toBe(0);
});

test('a cloud that listens everywhere names an address that other machines can reach', async () => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
  const cloud = run([...data(), '--host', '0.0.0.0']);
  const [, host] = await cloud.says(/API +http:\/\/([\d.]+):/);
  expect(host).toBe(outside ?? '127.0.0.1');
  cloud.child.kill('SIGTERM');
  await cloud.exit;
});

test('--help names every setting and its variable', async () => {
  const cloud = run(['--help']);
  expect((await cloud.exit).code).toBe(0);
  for (const word of ['--port', '--host', '--data', '--public-url', '--admin-key-file', 'PLACARD_PUBLIC_URL'])
    expect(cloud.out()).toContain(word);
});

/** What a start that must fail says on stderr. */
async function refusalOf(args: string[]): Promise<string> {
  const cloud = run(args);
  expect((await cloud.exit).code).not.toBe(0);
  expect(cloud.err()).not.toContain('    at ');
  return cloud.err();
}

test.each([
  [['--prot', '1'], /unknown option '--prot'/],
  [['--port', 'x'], /--port.*0 to 65535/],
  [['--allow-address', 'here'], /--allow-address.*192\.168\.0\.0\/16/],
  [['--log-level', 'loud'], /--log-level.*trace, debug/],
  [['--admin-key-file', '/nowhere/key'], /nowhere\/key of --admin-key-file cannot be read \(ENOENT\)/],
  [
    ['--admin-key-file', 'package.json'],
    /package\.json of --admin-key-file does not hold a key alone.*16 to 200/,
  ],
  [['--admin-key-file', 'a', '--admin-key', 'key-of-the-line-0001'], /cannot be used with/],
  [['extra'], /too many arguments|unknown command/],
])('the mistake in %j is one clear sentence and an exit code', async (args, sentence) => {
  expect(await refusalOf(args)).toMatch(sentence);
});

test('a data folder that cannot be used is one clear sentence', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  expect(await refusalOf(['--data', join(file, 'x'), '--port', '0'])).toMatch(/cannot be written.*--data/);
  await writeFile(join(folder, 'cloud.sqlite'), 'this is not a database, and never was one at all');
  expect(await refusalOf(['--data', folder, '--port', '0'])).toMatch(/cannot be used.*--data/);
});

test('a second cloud is kept out of the folder of the first, and leaves it in peace', async () => {
  const first = run(data());
  await first.says(/Admin key/);
  const part = join(folder, 'data', 'blobs', 'parts', 'just-arriving');
  await writeFile(part, 'half');
  expect(await refusalOf(data())).toMatch(/Another cloud already uses.*--data/);
  expect(await readdir(join(folder, 'data', 'blobs', 'parts'))).toEqual(['just-arriving']);
  first.child.kill('SIGKILL');
  await first.exit;
  const next = run(data());
  await next.says(/API/);
  next.child.kill('SIGTERM');
  expect((await next.exit).code).toBe(0);
});

test('a lock that was deleted keeps a second cloud out all the same, and comes back', async () => {
  const first = run(data());
  await first.says(/Admin key/);
  const lock = join(folder, 'data', 'cloud.lock');
  await rm(lock);
  expect(await refusalOf(data())).toMatch(/Another cloud already uses.*--data/);
  await eventually(() => expect(first.err()).toContain('lock.renewed'));
  first.child.kill('SIGTERM');
  await first.exit;
});

test('the first Admin key comes from a file, so that no list of processes shows it', async () => {
  const file = join(folder, 'key');
  await writeFile(file, 'key-of-the-file-0001\n', { mode: 0o600 });
  const cloud = run([...data(), '--admin-key-file', file]);
  const [, api] = await cloud.says(/API +(\S+)/);
  const answer = await fetch(`${api}/api-keys`, {
    headers: { authorization: 'Bearer key-of-the-file-0001' },
  });
  expect(answer.status).toBe(200);
  cloud.child.kill('SIGTERM');
  await cloud.exit;
  expect(cloud.out()).not.toContain('Admin key');
});

test('a port in use is one clear sentence', async () => {
  const first = run(data());
  const [, port = ''] = await first.says(/127\.0\.0\.1:(\d+)/);
  expect(await refusalOf(['--data', join(folder, 'other'), '--port', port])).toMatch(
    /Port \d+ .*already in use.*--port/,
  );
  first.child.kill('SIGTERM');
  await first.exit;
});

test('a database of a newer program is refused and left as it is', async () => {
  const first = run(data());
  await first.says(/Admin key/);
  first.child.kill('SIGTERM');
  await first.exit;
  const file = join(folder, 'data', 'cloud.sqlite');
  const database = new Sqlite(file);
  database
    .prepare('insert into kysely_migration (name, timestamp) values (?, ?)')
    .run('9999-future', new Date().toISOString());
  database.close();
  const second = run(data());
  expect((await second.exit).code).not.toBe(0);
  expect(second.err()).toMatch(/newer version.*9999-future/);
});

test('a stop with an open socket and a running request is quick', async () => {
  const cloud = await startTestCloud();
  const screen = await pairScreen(cloud);
  const socket = await openSocket(cloud.cloud.url, screen.token);
  await socket.next();
  await cloud.cloud.close();
  expect((await socket.closed).code).toBe(1001);
  await rm(cloud.dataDir, { recursive: true });
});

test('everything is there again after a restart', async () => {
  const cloud = await startTestCloud();
  const screen = await pairScreen(cloud);
  const asset = (await cloud.admin.upload(await png(1), 'a.png')).data;
  const playlist = (await cloud.admin.post('/v1/playlists', { name: 'P', items: [{ content_id: asset.id }] }))
    .data;
  await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, {
    targets: [{ type: 'device', id: screen.deviceId }],
  });
  const before = (await screen.api.get('/v1/player/manifest')).data;
  await cloud.restart();
  expect((await screen.api.get('/v1/player/manifest')).data).toEqual(before);
  expect((await fetch(before.assets[0].url)).status).toBe(200);
  await cloud.close();
});

test('what a crash left of an upload is swept at the next start', async () => {
  const cloud = await startTestCloud();
  const part = join(cloud.dataDir, 'blobs', 'parts', 'left-over');
  await writeFile(part, 'half a file');
  await chmod(part, 0o600);
  await cloud.restart();
  expect(await readdir(join(cloud.dataDir, 'blobs', 'parts'))).toEqual([]);
  await cloud.close();
});

test('all that a running cloud says on stderr is lines of JSON, also what Node and libraries say', async () => {
  const trouble =
    "let n = 0; process.on('SIGUSR2', () => { if (n++ > 0) throw new Error('gone wrong'); " +
    "process.emitWarning('too many listeners'); console.error('said by %s', 'a library'); })";
  const cloud = run(data(), {
    NODE_NO_WARNINGS: '',
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(trouble)}`,
  });
  await cloud.says(/Admin key/);
  cloud.child.kill('SIGUSR2');
  await eventually(() => expect(cloud.err()).toContain('a library'));
  cloud.child.kill('SIGUSR2');
  expect((await cloud.exit).code).toBe(1);
  const lines = cloud
    .err()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).event);
  expect(lines).toEqual(['process.printed', 'process.warning', 'process.crashed']);
});
