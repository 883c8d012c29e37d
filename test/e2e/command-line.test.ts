import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { descendants, isAlive, startProgram } from '../support/program.ts';
import { waitUntil } from '../support/wait-until.ts';
import { freePort } from '../support/free-port.ts';

const CLOUD = 'packages/cloud/dist/program/main.js';
const PLAYER = 'src/shells/main.ts';
const START = 'scripts/start.ts';
/** Starting a cloud, a browser and a runtime takes long on two busy cores. */
const TIMEOUT_MS = 60_000;

const folder = tempDir(afterAll);

/** Runs a program to its end and returns its output. */
async function run(args: string[]) {
  const program = startProgram(args);
  onTestFinished(() => program.signal('SIGKILL'));
  const { code } = await program.ended;
  return { code, ...program.output() };
}

describe('--help and bad input', () => {
  test.each([
    [CLOUD, ['--port', '--host', '--data', '--public-url', '--admin-key', 'PLACARD_PORT', '127.0.0.1']],
    [PLAYER, ['--server', '--data', '--shell', '--snapshot', 'PLACARD_SERVER', 'headless']],
    [START, ['--port', '--data', '--shell']],
  ])('%s --help lists every setting and exits with 0', async (file, words) => {
    const { code, stdout } = await run([file, '--help']);
    expect(code).toBe(0);
    for (const word of words) {
      expect(stdout).toContain(word);
    }
  });

  test.each([CLOUD, PLAYER, START])('%s names the unknown flag', async (file) => {
    const { code, stderr } = await run([file, '--sever', 'x']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('--sever');
    expect(stderr).not.toContain('    at ');
  });

  test.each([
    [CLOUD, ['--port', 'eighty'], 'port'],
    [CLOUD, ['--port', '70000'], 'port'],
  ])('%s %s is refused with an error message', async (file, args, word) => {
    const { code, stderr } = await run([file, ...args]);
    expect(code).not.toBe(0);
    expect(stderr.toLowerCase()).toContain(word);
    expect(stderr).not.toContain('    at ');
  });

  test('a cloud reports a data folder that cannot be written', async () => {
    const occupied = join(folder, 'a-file');
    await writeFile(occupied, '');
    const { code, stderr } = await run([CLOUD, '--port', '0', '--data', join(occupied, 'data')]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(join(occupied, 'data'));
    expect(stderr).not.toContain('    at ');
  });

  test('a player without a server, whose log cannot be written, reports the fault, shows its picture and keeps trying', async () => {
    const data = join(folder, 'lonely');
    const screen = join(folder, 'lonely.png');
    const flags = `--server http://127.0.0.1:${await freePort()} --data ${data} --shell headless --snapshot ${screen}`;
    const player = startProgram([PLAYER, ...flags.split(' ')], {}, '/dev/full');
    onTestFinished(() => player.signal('SIGKILL'));
    const status = await waitUntil(
      'the fault to be reported',
      async () => {
        const text = await readFile(join(data, 'status.json'), 'utf8');
        return text.includes('cloud.unreachable') ? text : null;
      },
      TIMEOUT_MS,
    );
    expect(JSON.parse(status)).toMatchObject({ state: 'pairing', code: null, connection: 'offline' });
    await waitUntil('a picture', () => stat(screen), TIMEOUT_MS);
    expect(isAlive(player.pid)).toBe(true);
    player.signal('SIGTERM');
    expect((await player.ended).code).toBe(0);
  });
});

/** Kills the cloud and then the player. */
async function outlivesItsParts(program: ReturnType<typeof startProgram>): Promise<void> {
  const find = (file: string) => descendants(program.pid).find(({ command }) => command.includes(file));
  const part = (file: string): number => {
    const found = find(file);
    if (!found) {
      throw new Error(`${file} is not running`);
    }
    return found.pid;
  };
  const pictures = () => program.output().stdout.split('On screen').length;
  const player = part(PLAYER);
  process.kill(part(CLOUD), 'SIGKILL');
  await waitUntil(
    'the command that starts the cloud again',
    () => /Playback continues.*npm run cloud -- --port/.test(program.output().stderr),
    TIMEOUT_MS,
  );
  expect(isAlive(player)).toBe(true);
  const shown = pictures();
  process.kill(player, 'SIGKILL');
  await waitUntil('the player to show something again', () => pictures() > shown && find(PLAYER), TIMEOUT_MS);
}

/** The status of a request of the person whom a link signs in, who is to be the only one. */
async function signInWith(api: string, token: string): Promise<number> {
  const signedIn = await fetch(`${api}/v1/auth/sign-in-with-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const [cookie = ''] = signedIn.headers.getSetCookie();
  const answer = await fetch(`${api}/v1/users`, { headers: { cookie: cookie.split(';')[0] ?? '' } });
  expect(await answer.json()).toMatchObject({
    data: [{ email: 'admin@example.com', role: 'Admin' }],
    meta: { total: 1 },
  });
  return answer.status;
}

describe('npm start', () => {
  test.each([
    ['whose folder cannot be written', 'not a folder', /cannot be written \(ENOTDIR\).*--data/],
    ['whose key file is damaged', 'not JSON', /start\.json does not contain the Admin key.*--data/],
  ])('%s says what to do', async (_what, kind, sentence) => {
    const data = await mkdtemp(join(folder, 'start-'));
    await writeFile(join(data, 'start.json'), '{ "adm');
    const { code, stderr } = await run([
      START,
      '--data',
      kind === 'not a folder' ? join(data, 'start.json', 'deep') : data,
    ]);
    expect(code).toBe(1);
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toContain('    at ');
  });

  test('reports that the cloud was created with another key', async () => {
    const data = join(folder, 'cloud-first');
    const cloud = startProgram([CLOUD, '--port', '0', '--data', join(data, 'cloud')]);
    onTestFinished(() => cloud.signal('SIGKILL'));
    await waitUntil('a key to be made', () => cloud.output().stdout.includes('Admin key'), TIMEOUT_MS);
    cloud.signal('SIGTERM');
    await cloud.ended;
    const port = await freePort();
    const { code, stderr } = await run([START, '--port', String(port), '--data', data]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/does not accept the Admin key.*--data/);
  });

  test('does not use a cloud that it has not started', async () => {
    const stranger = createHttpServer((_request, response) => response.end('{}'));
    const { promise, resolve } = Promise.withResolvers<void>();
    stranger.listen(0, '127.0.0.1', resolve);
    await promise;
    onTestFinished(() => void stranger.close());
    const address = stranger.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { code, stderr } = await run([START, '--port', String(port), '--data', join(folder, 'stranger')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`${port}.* already in use.*--port`));
    expect(stderr).not.toContain('    at ');
  });

  const printed = /API {8}(\S+)\/v1\nDocs {7}(\S+)\nAdmin key {2}(\S+)\n/;

  test('shows the samples, resumes with the same data, and Ctrl-C leaves no process', async () => {
    const port = await freePort();
    const args = [START, ...`--port ${port} --data ${join(folder, 'start')} --shell headless`.split(' ')];
    const keys: string[] = [];
    for (const round of ['first', 'second']) {
      const program = startProgram(args);
      onTestFinished(() => program.signal('SIGKILL'));
      await waitUntil(
        `the ${round} start to show something`,
        () => program.output().stdout.includes('On screen'),
        TIMEOUT_MS,
      );
      const { stdout } = program.output();
      const [, api = '', docs = '', key = ''] = printed.exec(stdout) ?? [];
      keys.push(key);
      expect((await fetch(docs)).status).toBe(200);
      const answer = await fetch(`${api}/v1/devices`, { headers: { authorization: `Bearer ${key}` } });
      expect(await answer.json()).toMatchObject({ success: true, meta: { total: 1 } });
      expect(stdout.includes('Pairing')).toBe(round === 'first');
      const [, link = ''] = /^Console {4}\S+\/sign-in-link#(\S+)$/m.exec(stdout) ?? [];
      expect(await signInWith(api, link), `${round} start`).toBe(200);

      if (round === 'second') {
        await outlivesItsParts(program);
      }

      const family = [program.pid, ...descendants(program.pid).map(({ pid }) => pid)];
      program.signal('SIGINT');
      await waitUntil('every process to be gone', () => !family.some(isAlive), TIMEOUT_MS);
      expect((await program.ended).code).toBe(0);
    }
    expect(keys[1]).toBe(keys[0]);
  }, 300_000);
});
