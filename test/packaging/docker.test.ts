import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, matchesGlob, relative, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { tempDir } from '../support/temp-dir.ts';
import { waitUntil } from '../support/wait-until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const [, buildStage = '', image = ''] = dockerfile.split(/^(?=FROM )/m);

/** The words of an instruction in its exec form. */
const commandOf = (instruction: RegExp): string[] => JSON.parse(instruction.exec(image)?.[1] ?? '[]');
const environment = Object.fromEntries(
  [...image.matchAll(/^(?:ENV| ) *([A-Z_]+)=(\S+)/gm)].map(([, name = '', value = '']) => [name, value]),
);
const copied = [...image.matchAll(/^COPY --from=build \/app\/(\S+)/gm)].map(([, path = '']) => path);

const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');

/** Whether `.dockerignore` keeps a path from the build: the last pattern that is of it, or of a folder above it, decides. */
const isIgnored = (path: string): boolean => {
  const above = path.split('/').map((_, index, names) => names.slice(0, index + 1).join('/'));
  const isOf = (pattern: string) => above.some((each) => matchesGlob(each, pattern.replace(/^!/, '')));
  return ignored.findLast((line) => isOf(line))?.startsWith('!') === false;
};

/** Copies what the build stage copies, with links to the installed packages instead of `npm ci`. */
function prepareBuild(folder: string): void {
  for (const [, paths = ''] of buildStage.matchAll(/^COPY (.*)$/gm)) {
    const sources = paths.split(' ');
    const target = join(folder, sources.pop() ?? '');
    for (const source of sources.map((each) => join(ROOT, each))) {
      cpSync(source, statSync(source).isDirectory() ? target : join(target, basename(source)), {
        recursive: true,
        filter: (each) => !isIgnored(relative(ROOT, each)),
      });
    }
  }
  for (const modules of globSync('{.,packages/*}/node_modules', { cwd: ROOT })) {
    mkdirSync(join(folder, modules), { recursive: true });
    for (const name of readdirSync(join(ROOT, modules)).filter((each) => each !== '@placard')) {
      symlinkSync(join(ROOT, modules, name), join(folder, modules, name));
    }
  }
  mkdirSync(join(folder, 'node_modules/@placard'));
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join(folder, 'packages', name), join(folder, 'node_modules/@placard', name));
  }
}

test.skipIf(process.platform === 'win32')(
  'the build stage has all sources, the image all files that the program needs, and it writes none of them',
  async () => {
    const build = tempDir();
    prepareBuild(build);
    const [, ...buildArguments] = /^RUN (node --run .*)$/m.exec(buildStage)?.[1]?.split(' ') ?? [];
    const building = spawn(process.execPath, buildArguments, { cwd: build, stdio: 'inherit' });
    expect(await once(building, 'exit')).toEqual([0, null]);

    const app = tempDir();
    for (const path of copied) {
      mkdirSync(dirname(join(app, path)), { recursive: true });
      if (path === 'node_modules/') {
        // More than the image has; what it has was looked at by hand.
        symlinkSync(join(ROOT, 'node_modules'), join(app, 'node_modules'));
      } else {
        cpSync(join(build, path), join(app, path), { recursive: true });
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
  300_000,
);

test('the image runs as a user who is not root, and no shell is between it and signals', () => {
  expect(image).toMatch(/^USER node$/m);
  expect(image).toMatch(/^VOLUME \/data$/m);
  expect(environment).toMatchObject({ PLACARD_DATA: '/data', PLACARD_HOST: '0.0.0.0' });
  expect(image).not.toMatch(/^(CMD|ENTRYPOINT) [^[]/m);
});
