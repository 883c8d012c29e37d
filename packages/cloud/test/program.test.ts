import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { createApiClient } from './support/client.ts';
import type { ApiClient } from './support/client.ts';
import { CLOUD_MAIN, runCommand } from './support/command-line.ts';
import { png } from './support/media.ts';
import { startRecordingServer } from './support/recording-server.ts';
import { NODE_FLAGS } from './trials/support/cloud-process.ts';

/** The built program, started as `docs/run-a-cloud.md` says; most other tests run the cloud from source. */
const ADMIN_KEY = 'key-of-the-program-0001';
const folder = tempDir(afterAll);
const data = join(folder, 'data');
const cache = join(folder, 'cache');
let program: ReturnType<typeof startProgram>;
let url: string;
let admin: ApiClient;

const clientFor = (secret: string) => createApiClient({ url: () => url, secret, beforeRequest: () => {} });

function startProgram() {
  const child = spawn(
    process.execPath,
    [...NODE_FLAGS, CLOUD_MAIN, '--port', '0', '--data', data, '--allow-address', '127.0.0.1'],
    {
      env: { ...process.env, PLACARD_ADMIN_KEY: ADMIN_KEY, NODE_COMPILE_CACHE: cache },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => (output.stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (output.stderr += bytes.toString()));
  // By then all its output has been read.
  return { child, output, exit: once(child, 'close') };
}

beforeAll(async () => {
  mkdirSync(cache);
  program = startProgram();
  await waitUntil('the address of the cloud', () => program.output.stdout.includes('Data '));
  url = /API +(\S+)\/v1/.exec(program.output.stdout)?.[1] ?? '';
  admin = clientFor(ADMIN_KEY);
});
afterAll(() => {
  program.child.kill('SIGKILL');
});

test('the pages and the description of the API are served', async () => {
  for (const [path, type] of [
    ['/pair', 'text/html'],
    ['/docs', 'text/html'],
    ['/docs/errors.css', 'text/css'],
    ['/openapi.json', 'application/json'],
  ]) {
    const response = await fetch(`${url}${path}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining(type ?? ''),
    ]);
  }
});

test('the process that inspects files does not load the library for videos when it starts', () => {
  const code = readFileSync(join(dirname(CLOUD_MAIN), 'inspection.js'), 'utf8');
  const importsAtStart = [...code.matchAll(/^import\b[^;]*?["']([^"']+)["'];/gm)].map(([, name]) => name);
  expect(importsAtStart).toContain('sharp');
  expect(importsAtStart).not.toContain('mediabunny');
  expect(code).toContain('import("mediabunny")');
});

test('an uploaded and an imported picture are inspected by the process of their own', async () => {
  const uploaded = await admin.upload(await png(1), 'a.png');
  expect(uploaded).toMatchObject({ status: 201, data: { format: 'png', width: 64 } });
  expect((await fetch(uploaded.data.thumbnail_url)).headers.get('content-type')).toBe('image/webp');

  const picture = await png(2);
  const files = await startRecordingServer((_request, response) => response.end(picture));
  const imported = await admin.post('/v1/content/upload-url', { url: `${files.url}/b.png` });
  await files.close();
  expect(imported).toMatchObject({ status: 201, data: { name: 'b.png', height: 48 } });
});

test('commands work beside the running cloud, and after it', async () => {
  const created = await runCommand('keys', 'create', '--scope', 'Read', '--data', data);
  const [key = ''] = /plk_\S+/.exec(created.stdout) ?? [];
  expect((await clientFor(key).get('/v1/devices')).status).toBe(200);

  const backup = join(folder, 'backup');
  expect(await runCommand('backup', backup, '--data', data)).toMatchObject({ code: 0, stderr: '' });
  const restored = join(folder, 'restored');
  expect(await runCommand('restore', backup, '--data', restored)).toMatchObject({ code: 0, stderr: '' });
  const { code, stdout } = await runCommand('doctor', '--min-free', '0', '--data', restored);
  expect(stdout).toMatch(/ok +codecs/);
  expect([code, stdout]).toEqual([0, expect.not.stringContaining('BAD')]);
});

test('SIGTERM stops it within its time, and compiled code is kept for the next start', async () => {
  program.child.kill('SIGTERM');
  expect(await program.exit).toEqual([0, null]);
  expect(program.output.stderr).toBe('');
  expect(readdirSync(cache, { recursive: true }).length).toBeGreaterThan(1);
});

test('the client of S3 stays outside the program, for the clouds that do not need it', () => {
  const program = readFileSync(join(CLOUD_MAIN, '../command-line.js'), 'utf8');
  expect(program).toMatch(/await .*import\("@aws-sdk\/client-s3"\)/);
  expect(program).not.toMatch(/^import .*"@aws-sdk/m);
});

test('libraries that only some clouds use are not loaded by all', () => {
  const source = readFileSync(join(CLOUD_MAIN, '../command-line.js'), 'utf8');
  const loadedByAll = [...source.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, name = '']) => name);
  expect(loadedByAll).toContain('better-sqlite3');
  const forSome = /^(prom-client|nodemailer|@opentelemetry\/|@aws-sdk\/)/;
  expect(loadedByAll.filter((name) => forSome.test(name))).toEqual([]);
  for (const name of ['prom-client', 'nodemailer', '@opentelemetry/sdk-trace']) {
    expect(source).toContain(`import("${name}")`);
  }
});
