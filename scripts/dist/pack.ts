import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { builderEnv } from './builder-env.ts';
import { run } from './run.ts';
import { makeStubElectron } from './stub-electron.ts';

export const REPOSITORY = resolve(import.meta.dirname, '../..');
const BIN = join(REPOSITORY, 'node_modules/.bin');
const FPM = join(import.meta.dirname, 'fpm-stand-in.ts');

export interface Packed {
  target: string;
  /** What the package would install. */
  folder: string;
  program: string;
  /** Name of the one native module that belongs in it. */
  native: string;
}

/**
 * Packs for a platform with a stub in place of Electron, so that nothing is downloaded: for Linux packages for Debian
 * by a stand-in for fpm, for Windows the folder alone.
 */
export function pack(platform: 'linux' | 'win32', output: string): Packed[] {
  const stub = join(output, 'stub', platform);
  makeStubElectron(stub, platform);
  const what = platform === 'linux' ? ['--linux', 'deb', '--x64', '--arm64'] : ['--win', 'dir', '--x64'];
  run(
    process.execPath,
    [
      join(BIN, 'electron-builder'),
      ...what,
      '--publish=never',
      `-c.electronDist=${stub}`,
      `-c.directories.output=${output}`,
    ],
    {
      cwd: REPOSITORY,
      env: { ...builderEnv(process.env), CUSTOM_FPM_PATH: FPM, PATH: `${BIN}:${process.env['PATH']}` },
    },
  );
  const all: Packed[] =
    platform === 'win32'
      ? [one('win x64', 'win-unpacked', windowsProgram(join(output, 'win-unpacked')), 'win32-x64.node')]
      : [
          one('linux x64', 'linux-unpacked', 'placard-player', 'linux-x64.node'),
          one('linux arm64', 'linux-arm64-unpacked', 'placard-player', 'linux-arm64.node'),
        ];
  return all;

  function one(target: string, name: string, program: string, native: string): Packed {
    const folder = join(output, name);
    if (!existsSync(join(folder, program))) throw new Error(`the builder made no ${join(name, program)}`);
    return { target, folder, program: join(folder, program), native };
  }
}

/** The one program for Windows in a packed folder. The installer names its folder and its uninstaller after it. */
export function windowsProgram(folder: string): string {
  const programs = readdirSync(folder).filter((name) => name.endsWith('.exe'));
  const [program = ''] = programs;
  if (programs.length !== 1) throw new Error(`${folder} holds ${programs.join(', ') || 'no program'}`);
  return program;
}
