import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { descendants, freePort, isAlive, startProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

const CLOUD = 'packages/cloud/src/main.ts';
const PLAYER = 'src/shells/main.ts';
const START = 'scripts/start.ts';
/** Two busy cores start a cloud, a browser and a runtime in their own time. */
const PATIENCE_MS = 60_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'placard-commands-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a program to its end and answers what it said. */
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
  ])('%s --help lists every setting and ends well', async (file, words) => {
    const { code, stdout } = await run([file, '--help']);
    expect(code).toBe(0);
    for (const word of words) expect(stdout).toContain(word);
  });

  test.each([CLOUD, PLAYER, START])('%s names an unknown flag', async (file) => {
    const { code, stderr } = await run([file, '--sever', 'x']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('--sever');
    expect(stderr).not.toContain('    at ');
  });

  test.each([
    [PLAYER, ['--server', 'not a url'], 'server'],
    [PLAYER, ['--shell', 'netscape'], 'netscape'],
    [CLOUD, ['--port', 'eighty'], 'port'],
    [CLOUD, ['--port', '70000'], 'port'],
  ])('%s %s is refused in a sentence', async (file, args, word) => {
    const { code, stderr } = await run([file, ...args]);
    expect(code).not.toBe(0);
    expect(stderr.toLowerCase()).toContain(word);
    expect(stderr).not.toContain('    at ');
  });

  test.each([CLOUD, PLAYER])('%s says when its data folder cannot be written', async (file) => {
    const occupied = join(folder, 'a-file');
    await writeFile(occupied, '');
    const flags = file === CLOUD ? ['--port', '0'] : ['--shell', 'headless'];
    const { code, stderr } = await run([file, ...flags, '--data', join(occupied, 'data')]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(join(occupied, 'data'));
    expect(stderr).not.toContain('    at ');
  });

  test('a cloud says when its port is taken, and by which flag to choose another', async () => {
    const taken = createServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    taken.listen(0, '127.0.0.1', resolve);
    await promise;
    onTestFinished(() => void taken.close());
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { code, stderr } = await run([CLOUD, '--port', String(port), '--data', join(folder, 'cloud')]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(String(port));
    expect(stderr).toContain('--port');
    expect(stderr).not.toContain('    at ');
  });

  test('a corrupt config file is named and left as it is', async () => {
    const config = join(folder, 'config.json');
    await writeFile(config, '{ "server": ');
    const { code, stderr } = await run([PLAYER, '--config', config, '--data', join(folder, 'player')]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(config);
    expect(stderr).not.toContain('    at ');
    expect(await readFile(config, 'utf8')).toBe('{ "server": ');
  });

  test('an unreachable server does not end the player: it says so and goes on trying', async () => {
    const port = await freePort();
    const data = join(folder, 'lonely');
    const player = startProgram([
      PLAYER,
      ...`--server http://127.0.0.1:${port} --data ${data} --shell headless`.split(' '),
    ]);
    onTestFinished(() => player.signal('SIGKILL'));
    const status = await until(
      'the fault to be told',
      async () => {
        const text = await readFile(join(data, 'status.json'), 'utf8');
        return text.includes('cloud.unreachable') ? text : null;
      },
      PATIENCE_MS,
    );
    expect(JSON.parse(status)).toMatchObject({ state: 'pairing', code: null, connection: 'offline' });
    expect(isAlive(player.pid)).toBe(true);
    player.signal('SIGTERM');
    expect((await player.ended).code).toBe(0);
  });

  test('a player whose log cannot be written shows its picture all the same', async () => {
    const data = join(folder, 'mute');
    const screen = join(folder, 'mute.png');
    const flags = `--server http://127.0.0.1:${await freePort()} --data ${data} --shell headless --snapshot ${screen}`;
    const player = startProgram([PLAYER, ...flags.split(' ')], {}, '/dev/full');
    onTestFinished(() => player.signal('SIGKILL'));
    await until('a picture', () => stat(screen), PATIENCE_MS);
    player.signal('SIGTERM');
    expect((await player.ended).code).toBe(0);
  });
});

/** Kills the cloud and then the player, as a careless visitor would. */
async function outlivesItsParts(program: ReturnType<typeof startProgram>): Promise<void> {
  const find = (file: string) => descendants(program.pid).find(({ command }) => command.includes(file));
  const part = (file: string): number => {
    const found = find(file);
    if (!found) throw new Error(`${file} does not run`);
    return found.pid;
  };
  const pictures = () => program.output().stdout.split('On screen').length;
  const player = part(PLAYER);
  process.kill(part(CLOUD), 'SIGKILL');
  await until(
    'the way to start the cloud again',
    () => /The screen plays on.*npm run cloud -- --port/.test(program.output().stderr),
    PATIENCE_MS,
  );
  expect(isAlive(player)).toBe(true);
  const shown = pictures();
  process.kill(player, 'SIGKILL');
  await until('the player to show something again', () => pictures() > shown && find(PLAYER), PATIENCE_MS);
}

describe('npm start', () => {
  test.each([
    ['whose folder cannot be written', 'not a folder', /cannot be written \(ENOTDIR\).*--data/],
    ['whose key file is damaged', 'not JSON', /start\.json no longer holds the Admin key.*--data/],
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

  test('says so when its cloud was first started by itself, with a key that is not known here', async () => {
    const data = join(folder, 'cloud-first');
    const cloud = startProgram([CLOUD, '--port', '0', '--data', join(data, 'cloud')]);
    onTestFinished(() => cloud.signal('SIGKILL'));
    await until('a key to be made', () => cloud.output().stdout.includes('Admin key'), PATIENCE_MS);
    cloud.signal('SIGTERM');
    await cloud.ended;
    const port = await freePort();
    const { code, stderr } = await run([START, '--port', String(port), '--data', data]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/does not know the Admin key.*--data/);
  });

  test('does not take the cloud of somebody else for its own', async () => {
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
  });

  const printed = /API {8}(\S+)\/v1\nDocs {7}(\S+)\nAdmin key {2}(\S+)\n/;

  test('shows the samples, resumes with the same data, and Ctrl-C leaves no process', async () => {
    const port = await freePort();
    const args = [START, ...`--port ${port} --data ${join(folder, 'start')} --shell headless`.split(' ')];
    const keys: string[] = [];
    for (const round of ['first', 'second']) {
      const program = startProgram(args);
      onTestFinished(() => program.signal('SIGKILL'));
      await until(
        `the ${round} start to show something`,
        () => program.output().stdout.includes('On screen'),
        PATIENCE_MS,
      );
      const { stdout } = program.output();
      const [, api = '', docs = '', key = ''] = printed.exec(stdout) ?? [];
      keys.push(key);
      expect((await fetch(docs)).status).toBe(200);
      const answer = await fetch(`${api}/v1/devices`, { headers: { authorization: `Bearer ${key}` } });
      expect(await answer.json()).toMatchObject({ success: true, meta: { total: 1 } });
      expect(stdout.includes('Pairing')).toBe(round === 'first');

      if (round === 'second') await outlivesItsParts(program);

      const family = [program.pid, ...descendants(program.pid).map(({ pid }) => pid)];
      program.signal('SIGINT');
      await until('every process to be gone', () => !family.some(isAlive), PATIENCE_MS);
      expect((await program.ended).code).toBe(0);
    }
    expect(keys[1]).toBe(keys[0]);
  }, 300_000);
});
