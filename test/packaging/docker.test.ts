import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildCloud } from '../../scripts/build-cloud.ts';
import { freePort } from '../support/free-port.ts';
import { tempDir } from '../support/temp-dir.ts';
import { waitUntil } from '../support/wait-until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const image = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

/** The words of an instruction in its exec form. */
const commandOf = (instruction: RegExp): string[] => JSON.parse(instruction.exec(image)?.[1] ?? '[]');
const environment = Object.fromEntries(
  [...image.matchAll(/^(?:ENV| ) *([A-Z_]+)=(\S+)/gm)].map(([, name = '', value = '']) => [name, value]),
);
const copied = [...image.matchAll(/^COPY --from=build \/app\/(\S+)/gm)].map(([, path = '']) => path);

test.skipIf(process.platform === 'win32')(
  'the files of the image are all that the program needs, and it writes none of them',
  async () => {
    await buildCloud();
    const app = tempDir();
    for (const path of copied) {
      mkdirSync(dirname(join(app, path)), { recursive: true });
      if (path === 'node_modules/') {
        // More than the image has; what it has was looked at by hand.
        symlinkSync(join(ROOT, 'node_modules'), join(app, 'node_modules'));
      } else {
        cpSync(join(ROOT, path), join(app, path), { recursive: true });
      }
    }
    spawnSync('chmod', ['-R', 'a-w,a+rX', app]);
    onTestFinished(() => void spawnSync('chmod', ['-R', 'u+w', app]));
    const data = tempDir();
    chmodSync(dirname(data), 0o755);
    if (isRoot) {
      chownSync(data, NOBODY, NOBODY);
    }
    const [program = '', ...args] = commandOf(/^ENTRYPOINT (\[.*\])$/m);
    expect(program).toBe('node');
    const settings = {
      cwd: app,
      env: {
        PATH: process.env['PATH'],
        ...environment,
        PLACARD_HOST: '127.0.0.1',
        PLACARD_PORT: String(await freePort()),
        PLACARD_DATA: data,
      },
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    };
    const cloud = spawn(process.execPath, args, { ...settings, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void cloud.kill('SIGKILL'));
    let output = '';
    cloud.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
    cloud.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()));
    await waitUntil(
      'the cloud starts or ends',
      () => output.includes('Admin key') || cloud.exitCode !== null,
    );
    expect(output).toContain('Admin key');

    const [, ...check] = commandOf(/^HEALTHCHECK .*CMD (\[.*\])$/m);
    expect(spawnSync(process.execPath, check, settings).status).toBe(0);
    const down = { ...settings, env: { ...settings.env, PLACARD_PORT: String(await freePort()) } };
    expect(spawnSync(process.execPath, check, down).status).toBe(1);

    cloud.kill(/^STOPSIGNAL (\w+)$/m.exec(image)?.[1] === 'SIGTERM' ? 'SIGTERM' : 'SIGKILL');
    expect(await once(cloud, 'exit')).toEqual([0, null]);
  },
  120_000,
);

test('the image runs as a user who is not root, and no shell is between it and signals', () => {
  expect(image).toMatch(/^USER node$/m);
  expect(image).toMatch(/^VOLUME \/data$/m);
  expect(environment).toMatchObject({ PLACARD_DATA: '/data', PLACARD_HOST: '0.0.0.0' });
  expect(image).not.toMatch(/^(CMD|ENTRYPOINT) [^[]/m);
});
