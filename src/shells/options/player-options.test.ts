import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { readPlayerOptions } from './player-options.ts';
import { StartupError } from './startup-error.ts';

let folder: string;

beforeEach(() => {
  folder = tempDir();
});

function read(argv: string[], env: Record<string, string> = {}) {
  return readPlayerOptions(argv, { env, platform: 'linux' });
}

function configFile(text: string): string {
  const path = join(folder, 'config.json');
  writeFileSync(path, text);
  return path;
}

describe('player options', () => {
  test('have defaults', () => {
    expect(read([])).toMatchObject({
      kind: 'run',
      options: {
        server: 'http://127.0.0.1:8787',
        dataDir: resolve('.placard/player'),
        shell: 'auto',
        snapshot: null,
        cacheLimits: {},
      },
    });
  });

  test('keep the data of a player on Windows in the user profile, because a task starts it in a system folder', () => {
    const env = { LOCALAPPDATA: '/users/signage/local' };
    expect(readPlayerOptions([], { env, platform: 'win32' })).toMatchObject({
      options: { dataDir: resolve('/users/signage/local/Placard') },
    });
  });

  test.each([
    ['20GB', 20_000_000_000],
    ['512 MiB', 536_870_912],
    ['1.5tb', 1_500_000_000_000],
    ['750000000', 750_000_000],
  ])('parse the size %s', (text, bytes) => {
    expect(read(['--max-cache', text])).toMatchObject({ options: { cacheLimits: { maxCacheBytes: bytes } } });
    expect(read([], { PLACARD_MIN_FREE: text })).toMatchObject({
      options: { cacheLimits: { minFreeBytes: bytes } },
    });
  });

  test.each([
    ['2MB/s', 2_000_000],
    ['16 Mbit/s', 2_000_000],
    ['500kB', 500_000],
  ])('parse the rate %s', (text, bytes) => {
    const path = configFile(JSON.stringify({ maxDownloadRate: text }));
    expect(read(['--config', path])).toMatchObject({
      options: { cacheLimits: { maxDownloadBytesPerSecond: bytes } },
    });
  });

  test('take precedence in the order flags, environment, file', () => {
    const path = configFile(
      JSON.stringify({
        server: 'https://file.example',
        data: '/file',
        shell: 'headless',
        snapshot: '/file.png',
      }),
    );
    const result = read(['--config', path, '--server', 'https://flag.example'], {
      PLACARD_SERVER: 'https://env.example',
      PLACARD_PLAYER_DATA: '/env',
    });
    expect(result).toMatchObject({
      options: {
        server: 'https://flag.example',
        dataDir: resolve('/env'),
        shell: 'headless',
        snapshot: resolve('/file.png'),
      },
    });
    expect(result).toMatchObject({ summary: expect.stringContaining('data /env (PLACARD_PLAYER_DATA)') });
  });

  test('are immutable', () => {
    const result = read([]);
    expect(result.kind === 'run' && Object.isFrozen(result.options)).toBe(true);
  });

  test('accept an address with a trailing slash and remove it', () => {
    expect(read(['--server', 'https://cloud.example/'])).toMatchObject({
      options: { server: 'https://cloud.example' },
    });
  });

  test('ignore an empty variable', () => {
    expect(read([], { PLACARD_SHELL: '' })).toMatchObject({ options: { shell: 'auto' } });
  });

  test.each([
    [['--sever', 'x'], {}, /unknown option '--sever'.*--server/s],
    [['--server', 'cloud.example'], {}, /"server" \(--server: "cloud.example"\) must be an http/],
    [['--server', 'ftp://cloud.example'], {}, /must be an http/],
    [
      ['--server', 'https://me:secret@cloud.example'],
      {},
      /^(?!.*secret).*must not include a user name or password/,
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
  ])('report %j with one sentence', (argv, env, message) => {
    expect(() => read(argv, env)).toThrow(StartupError);
    expect(() => read(argv, env)).toThrow(message);
  });

  test.each([
    ['{ "server": ', /is not valid JSON/],
    ['[]', /must contain one JSON object/],
    [
      '{ "sever": "https://x.example" }',
      /unknown setting "sever"; known settings are server, data, shell, snapshot, orientation/,
    ],
    ['{ "shell": 7 }', /"shell" .* must be one of/],
  ])('report the configuration file %s with one sentence', (text, message) => {
    const path = configFile(text);
    expect(() => read(['--config', path])).toThrow(StartupError);
    expect(() => read(['--config', path])).toThrow(message);
    expect(() => read(['--config', path])).toThrow(path);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('explain every setting with --help', () => {
    const result = read(['--help']);
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
      expect(result.kind === 'help' && result.text).toContain(word);
    }
  });

  test('use ProgramData on Windows', () => {
    const result = readPlayerOptions(['--help'], {
      env: { ProgramData: 'D:\\Data' },
      platform: 'win32',
    });
    expect(result.kind === 'help' && result.text).toMatch(/D:\\Data.*Placard.*config\.json/s);
  });
});
