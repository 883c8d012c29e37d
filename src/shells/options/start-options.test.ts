import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { toRuntimeConfig, toRuntimeEnv, loadStartOptions } from './start-options.ts';

let folder: string;
let data: string;

beforeEach(() => {
  folder = tempDir();
  data = join(folder, 'data');
});

function onBootPartition(content: object | string): void {
  mkdirSync(join(folder, 'boot'), { recursive: true });
  writeFileSync(
    join(folder, 'boot/placard.json'),
    typeof content === 'string' ? content : JSON.stringify(content),
  );
}
const load = (argv: string[] = [], env: Record<string, string> = {}) =>
  loadStartOptions(['--data', data, ...argv], { env, platform: 'linux', root: folder });
async function loadOrThrow(...args: Parameters<typeof load>) {
  const result = await load(...args);
  if (result.kind !== 'run') {
    throw new Error(result.text);
  }
  return result;
}

const loadServer = async (...args: Parameters<typeof load>) => (await loadOrThrow(...args)).options.server;

test('imports settings from the boot partition at once, and uses them at every later start', async () => {
  onBootPartition({ server: 'https://boot.example', orientation: 'portrait', menuPin: '4711' });
  const first = await loadOrThrow();
  expect(first.provisioning?.message).toContain('was imported (server, orientation, menuPin)');
  expect(first.options).toMatchObject({ server: 'https://boot.example', orientation: 'portrait' });
  const second = await loadOrThrow();
  expect(second.provisioning).toBeNull();
  expect(second.options).toEqual(first.options);
  expect(second.summary).toContain('server https://boot.example (placard.json)');
  expect(second.options.menuPinHash).toMatch(/^scrypt\$/);
});

test('prefers file, environment and flags to them', async () => {
  onBootPartition({ server: 'https://boot.example' });
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ server: 'https://file.example' }));
  expect(await loadServer([])).toBe('https://boot.example');
  expect(await loadServer(['--config', config])).toBe('https://file.example');
  expect(await loadServer(['--config', config], { PLACARD_SERVER: 'https://env.example' })).toBe(
    'https://env.example',
  );
  expect(
    await loadServer(['--server', 'https://flag.example'], { PLACARD_SERVER: 'https://env.example' }),
  ).toBe('https://flag.example');
});

test('starts without an invalid file, and says why', async () => {
  onBootPartition('{ "server"');
  const result = await loadOrThrow();
  expect(result.provisioning).toEqual({
    event: 'provisioning.import_failed',
    message: expect.stringMatching(/boot\/placard\.json was not imported: it is not valid JSON/),
  });
  expect(result.options.server).toBe('http://127.0.0.1:8787');
});

test('says what is wrong with an invalid file without quoting its secrets', async () => {
  onBootPartition('{ "menuPin": “47110815” }');
  const { provisioning } = await loadOrThrow();
  expect(provisioning?.message).toContain('is not valid JSON');
  expect(provisioning?.message).not.toContain('4711');
});

test('reports a data folder that cannot be created', async () => {
  writeFileSync(data, 'a file');
  await expect(load()).rejects.toThrow(data);
});

test('passes the settings to the runtime by its configuration and its environment', async () => {
  onBootPartition({ proxy: 'http://shop:opensesame@proxy.example:3128', menuPin: '4711' });
  const pem = join(folder, 'ca.pem');
  writeFileSync(pem, '');
  const { options, summary } = await loadOrThrow(['--ca-file', pem, '--orientation', 'portrait']);
  expect(toRuntimeEnv(options)).toEqual({
    PLACARD_LOG_FILE: join(data, 'logs/runtime.log'),
    http_proxy: 'http://shop:opensesame@proxy.example:3128',
    https_proxy: 'http://shop:opensesame@proxy.example:3128',
    PLACARD_CA_FILE: pem,
  });
  expect(toRuntimeConfig(options, { rendererDir: '/page', shell: 'headless' })).toMatchObject({
    dataDir: data,
    orientation: 'portrait',
    menuPinHash: options.menuPinHash,
    rendererDir: '/page',
  });
  expect(summary).not.toContain('opensesame');
});
