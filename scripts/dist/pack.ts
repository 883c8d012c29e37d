import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../repository.ts';
import { builderEnv } from './builder-env.ts';
import { run } from '../run.ts';
import { makeStubElectron } from './stub-electron.ts';

const BIN = join(REPOSITORY, 'node_modules/.bin');
const FPM = join(import.meta.dirname, 'fpm-stand-in.ts');

export interface PackedApp {
  target: string;
  /** What the package would install. */
  folder: string;
  program: string;
  /** Name of the only native module that must be in the package. */
  nativeModule: string;
}

/**
 * Packs the player with a stub instead of Electron, so that nothing is downloaded: Debian packages for Linux, by a
 * stand-in for fpm, and the unpacked folder for Windows.
 */
export function packApps(platform: 'linux' | 'win32', output: string): PackedApp[] {
  const stub = join(output, 'stub', platform);
  makeStubElectron(stub, platform);
  const targets = platform === 'linux' ? ['--linux', 'deb', '--x64', '--arm64'] : ['--win', 'dir', '--x64'];
  run(
    process.execPath,
    [
      join(BIN, 'electron-builder'),
      ...targets,
      '--publish=never',
      `-c.electronDist=${stub}`,
      `-c.directories.output=${output}`,
    ],
    {
      cwd: REPOSITORY,
      env: { ...builderEnv(process.env), CUSTOM_FPM_PATH: FPM, PATH: `${BIN}:${process.env['PATH']}` },
    },
  );
  const apps: [target: string, name: string, program: string, nativeModule: string][] =
    platform === 'win32'
      ? [['win x64', 'win-unpacked', findWindowsProgram(join(output, 'win-unpacked')), 'win32-x64.node']]
      : [
          ['linux x64', 'linux-unpacked', 'placard-player', 'linux-x64.node'],
          ['linux arm64', 'linux-arm64-unpacked', 'placard-player', 'linux-arm64.node'],
        ];
  return apps.map(([target, name, program, nativeModule]) => {
    const folder = join(output, name);
    if (!existsSync(join(folder, program))) {
      throw new Error(`electron-builder did not create ${join(name, program)}`);
    }
    return { target, folder, program: join(folder, program), nativeModule };
  });
}

/** The only Windows program in a packed folder. The installer names its folder and its uninstaller after it. */
export function findWindowsProgram(folder: string): string {
  const programs = readdirSync(folder).filter((name) => name.endsWith('.exe'));
  const [program = ''] = programs;
  if (programs.length !== 1) {
    throw new Error(`${folder} must contain one program, but has ${programs.join(', ') || 'none'}`);
  }
  return program;
}
