import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPlayerOptions } from './player-options.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placard-options-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(argv: string[], env: Record<string, string> = {}) {
  return readPlayerOptions(argv, { env, platform: 'linux' });
}

function configFile(text: string): string {
  const path = join(folder, 'config.json');
  writeFileSync(path, text);
  return path;
}

describe('player options', () => {
  it('have defaults that suit one machine', () => {
    expect(read([])).toMatchObject({
      kind: 'run',
      options: {
        server: 'http://127.0.0.1:8787',
        dataDir: resolve('.placard/player'),
        shell: 'auto',
        snapshot: null,
        limits: {},
      },
    });
  });

  it('keep what a player of Windows has with its user: a task starts it in a folder of the system', () => {
    const env = { LOCALAPPDATA: '/users/signage/local' };
    expect(readPlayerOptions([], { env, platform: 'win32' })).toMatchObject({
      options: { dataDir: resolve('/users/signage/local/Placard') },
    });
  });

  it.each([
    ['20GB', 20_000_000_000],
    ['512 MiB', 536_870_912],
    ['1.5tb', 1_500_000_000_000],
    ['750000000', 750_000_000],
  ])('read the size %s', (text, bytes) => {
    expect(read(['--max-cache', text])).toMatchObject({ options: { limits: { maxCacheBytes: bytes } } });
    expect(read([], { PLACARD_MIN_FREE: text })).toMatchObject({
      options: { limits: { minFreeBytes: bytes } },
    });
  });

  it.each([
    ['2MB/s', 2_000_000],
    ['16 Mbit/s', 2_000_000],
    ['500kB', 500_000],
  ])('read the rate %s', (text, bytes) => {
    const path = configFile(JSON.stringify({ maxDownloadRate: text }));
    expect(read(['--config', path])).toMatchObject({
      options: { limits: { maxDownloadBytesPerSecond: bytes } },
    });
  });

  it('let file, environment and flags win in this order', () => {
    const path = configFile(
      JSON.stringify({
        server: 'https://file.example',
        data: '/file',
        shell: 'headless',
        snapshot: '/file.png',
      }),
    );
    const answer = read(['--config', path, '--server', 'https://flag.example'], {
      PLACARD_SERVER: 'https://env.example',
      PLACARD_PLAYER_DATA: '/env',
    });
    expect(answer).toMatchObject({
      options: {
        server: 'https://flag.example',
        dataDir: resolve('/env'),
        shell: 'headless',
        snapshot: resolve('/file.png'),
      },
    });
    expect(answer).toMatchObject({ summary: expect.stringContaining('data /env (PLACARD_PLAYER_DATA)') });
  });

  it('cannot be changed once read', () => {
    const answer = read([]);
    expect(answer.kind === 'run' && Object.isFrozen(answer.options)).toBe(true);
  });

  it('take an address without its last slash', () => {
    expect(read(['--server', 'https://cloud.example/'])).toMatchObject({
      options: { server: 'https://cloud.example' },
    });
  });

  it('take an empty variable for none', () => {
    expect(read([], { PLACARD_SHELL: '' })).toMatchObject({ options: { shell: 'auto' } });
  });

  it.each([
    [['--sever', 'x'], {}, /unknown option '--sever'.*--server/s],
    [['--server', 'cloud.example'], {}, /"server" \(--server: "cloud.example"\) must be an http/],
    [['--server', 'ftp://cloud.example'], {}, /must be an http/],
    [
      ['--server', 'https://me:secret@cloud.example'],
      {},
      /^(?!.*secret).*must not carry a user name or password/,
    ],
    [['--shell', 'firefox'], {}, /"shell" \(--shell: "firefox"\) must be one of auto, electron/],
    [[], { PLACARD_SHELL: 'firefox' }, /PLACARD_SHELL/],
    [['--orientation', 'sideways'], {}, /"sideways"\) must be one of landscape, portrait/],
    [['--max-cache', 'lots'], {}, /"maxCache" \(--max-cache: "lots"\) must be a size such as 20GB/],
    [['--max-cache', '16Mbit/s'], {}, /must be a size such as 20GB/],
    [['--max-cache', '0'], {}, /must be at least 1000000 bytes/],
    [[], { PLACARD_MIN_FREE: '-1GB' }, /"minFree" \(PLACARD_MIN_FREE: "-1GB"\) must be a size/],
    [['--max-download-rate', 'fast'], {}, /must be a rate such as 2MB\/s/],
    [['stray'], {}, /too many arguments/],
    [['--server'], {}, /argument missing/],
    [['--config', '/nowhere/config.json'], {}, /\/nowhere\/config.json does not exist/],
  ])('answer %j with one clear sentence and exit code 2', (argv, env, sentence) => {
    const answer = read(argv, env);
    expect(answer).toMatchObject({ kind: 'print', exitCode: 2 });
    expect(answer.kind === 'print' && answer.text).toMatch(sentence);
  });

  it.each([
    ['{ "server": ', /is not valid JSON/],
    ['[]', /must hold one JSON object/],
    [
      '{ "sever": "https://x.example" }',
      /unknown setting "sever"; known are server, data, shell, snapshot, orientation/,
    ],
    ['{ "shell": 7 }', /"shell" .* must be one of/],
  ])('answer the configuration file %s with one clear sentence', (text, sentence) => {
    const path = configFile(text);
    const answer = read(['--config', path]);
    expect(answer).toMatchObject({ kind: 'print', exitCode: 2 });
    expect(answer.kind === 'print' && answer.text).toMatch(sentence);
    expect(answer.kind === 'print' && answer.text).toContain(path);
  });

  it('explain every setting with --help', () => {
    const answer = read(['--help']);
    expect(answer).toMatchObject({ kind: 'print', exitCode: 0 });
    for (const word of [
      '--server',
      'PLACARD_PLAYER_DATA',
      '--shell',
      'headless',
      '--snapshot',
      '--max-cache',
      '--min-free',
      'PLACARD_MAX_DOWNLOAD_RATE',
      '--config',
      '--smoke-test',
      'PLACARD_UPDATE_FEED',
    ]) {
      expect(answer.kind === 'print' && answer.text).toContain(word);
    }
  });

  it('look under ProgramData on Windows', () => {
    const answer = readPlayerOptions(['--help'], {
      env: { ProgramData: 'D:\\Data' },
      platform: 'win32',
    });
    expect(answer.kind === 'print' && answer.text).toMatch(/D:\\Data.*Placard.*config\.json/s);
  });
});
