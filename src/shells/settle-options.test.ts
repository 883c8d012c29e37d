import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runtimeConfigOf, runtimeEnvOf, settleOptions } from './settle-options.ts';

let folder: string;
let data: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placard-settle-'));
  data = join(folder, 'data');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function onBootPartition(content: object | string): void {
  mkdirSync(join(folder, 'boot'), { recursive: true });
  writeFileSync(
    join(folder, 'boot/placard.json'),
    typeof content === 'string' ? content : JSON.stringify(content),
  );
}
const settle = (argv: string[] = [], env: Record<string, string> = {}) =>
  settleOptions(['--data', data, ...argv], { env, platform: 'linux', root: folder });
async function settled(...args: Parameters<typeof settle>) {
  const answer = await settle(...args);
  if (answer.kind !== 'run') throw new Error(answer.text);
  return answer;
}

const serverBy = async (...args: Parameters<typeof settle>) => (await settled(...args)).options.server;

it('takes settings from the boot partition at once, and at every later start', async () => {
  onBootPartition({ server: 'https://boot.example', orientation: 'portrait', menuPin: '4711' });
  const first = await settled();
  expect(first.note).toContain('was imported (server, orientation, menuPin)');
  expect(first.options).toMatchObject({ server: 'https://boot.example', orientation: 'portrait' });
  const second = await settled();
  expect(second.note).toBeNull();
  expect(second.options).toEqual(first.options);
  expect(second.summary).toContain('server https://boot.example (placard.json)');
  expect(second.options.menuPinHash).toMatch(/^scrypt\$/);
});

it('lets file, environment and flags go before it', async () => {
  onBootPartition({ server: 'https://boot.example' });
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ server: 'https://file.example' }));
  expect(await serverBy([])).toBe('https://boot.example');
  expect(await serverBy(['--config', config])).toBe('https://file.example');
  expect(await serverBy(['--config', config], { PLACARD_SERVER: 'https://env.example' })).toBe(
    'https://env.example',
  );
  expect(
    await serverBy(['--server', 'https://flag.example'], { PLACARD_SERVER: 'https://env.example' }),
  ).toBe('https://flag.example');
});

it('starts without a file that cannot be understood, and says why', async () => {
  onBootPartition('{ "server"');
  const answer = await settled();
  expect(answer.note).toMatch(/boot\/placard\.json was not imported: it is not valid JSON/);
  expect(answer.options.server).toBe('http://127.0.0.1:8787');
});

it('says when the data folder cannot be made', async () => {
  writeFileSync(data, 'a file');
  expect(await settle()).toMatchObject({ kind: 'print', exitCode: 2, text: expect.stringContaining(data) });
});

it('tells the runtime by its configuration and its environment', async () => {
  onBootPartition({ proxy: 'http://shop:opensesame@proxy.example:3128', menuPin: '4711' });
  const pem = join(folder, 'ca.pem');
  writeFileSync(pem, '');
  const { options, summary } = await settled(['--ca-file', pem, '--orientation', 'portrait']);
  expect(runtimeEnvOf(options)).toEqual({
    http_proxy: 'http://shop:opensesame@proxy.example:3128',
    https_proxy: 'http://shop:opensesame@proxy.example:3128',
    PLACARD_CA_FILE: pem,
  });
  expect(runtimeConfigOf(options, { rendererDir: '/page', shell: 'headless' })).toMatchObject({
    dataDir: data,
    orientation: 'portrait',
    menuPinHash: options.menuPinHash,
    rendererDir: '/page',
  });
  expect(summary).not.toContain('opensesame');
});
