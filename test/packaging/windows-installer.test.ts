import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { checkTasks } from '../../scripts/dist/app-checks.ts';
import { BUILD_NUMBER_VARIABLES, builderEnv } from '../../scripts/dist/builder-env.ts';
import { findWindowsProgram } from '../../scripts/dist/pack.ts';
import type { PackedApp } from '../../scripts/dist/pack.ts';

/** Static checks, because nothing of Windows runs here. */

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
let folder: string;

beforeEach(() => {
  folder = tempDir();
});

function packed(program: string): PackedApp {
  mkdirSync(join(folder, 'resources'), { recursive: true });
  cpSync(join(ROOT, 'build/windows'), join(folder, 'resources/windows'), { recursive: true });
  writeFileSync(join(folder, program), '');
  const name = findWindowsProgram(folder);
  return { target: 'win x64', folder, program: join(folder, name), nativeModule: 'win32-x64.node' };
}

/** The smallest installer script that calls one of our macros where electron-builder calls it. */
const tryMacro = (section: string, macro: string) => `
  Unicode true
  Name "try"
  OutFile "${join(folder, `${macro}.exe`)}"
  !include LogicLib.nsh
  !define VERSION "0.1.0"
  !define BUILD_RESOURCES_DIR "${join(ROOT, 'build')}"
  !define isUpdated '"a" == "b"'
  !include "${join(ROOT, 'build/installer.nsh')}"
  ${section}
    !insertmacro ${macro}
  ${section.startsWith('Function') ? 'FunctionEnd\nSection\nSectionEnd' : 'SectionEnd'}`;

describe('the name of the installation', () => {
  test('is the name of the packed program, in tasks, scripts and document', () => {
    expect(() => checkTasks(packed('Placard.exe'), ROOT)).not.toThrow();
  });

  test('fails the check when electron-builder uses another name', () => {
    expect(() => checkTasks(packed('placard-player.exe'), ROOT)).toThrow(/player-task\.xml/);
  });

  test('is the name of the product: no other program name is set for Windows', () => {
    const config = read('electron-builder.yml');
    expect(config).toMatch(/^productName: Placard$/m);
    // At the top level it would apply to Windows as well, and to the folder in "Program Files".
    expect(config).not.toMatch(/^executableName:/m);
    expect(config).toMatch(/^linux:\n {2}executableName: placard-player$/m);
  });
});

describe('the installer', () => {
  const makensis = spawnSync('makensis', ['-VERSION']).status === 0;

  test.skipIf(!makensis)('has macros that makensis compiles', () => {
    for (const [section, macro] of [
      ['Function .onInit', 'customInit'],
      ['Section', 'customInstall'],
      ['Section', 'customUnInstall'],
    ] as const) {
      const file = join(folder, `${macro}.nsi`);
      writeFileSync(file, tryMacro(section, macro));
      const { status, stdout } = spawnSync('makensis', ['-V2', '-WX', file], { encoding: 'utf8' });
      expect([macro, status, stdout]).toEqual([macro, 0, expect.any(String)]);
    }
  });

  test('stops the player before a file is replaced, and starts it afterwards', () => {
    const macros = read('build/installer.nsh');
    expect(macros).toMatch(/!macro customInit\n[^!]*!insertmacro placardSetup [^\n]*-Step before/);
    expect(macros).toMatch(/!macro customInstall\n[\s\S]*?-Step after/);
    // The templates call our macros here.
    const template = (name: string) => read(`node_modules/app-builder-lib/templates/nsis/${name}`);
    expect(template('installer.nsi')).toContain('!insertmacro customInit');
    const order = [
      'uninstallOldVersion SHELL_CONTEXT',
      'installApplicationFiles',
      '!insertmacro customInstall',
    ];
    const places = order.map((step) => template('installSection.nsh').indexOf(step));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });
});

describe('the scheduled tasks', () => {
  test('start the player at logon and every minute, so that an installation needs no logon', () => {
    const task = read('build/windows/player-task.xml');
    expect(task).toMatch(/<LogonTrigger>/);
    expect(task).toMatch(/<TimeTrigger>\s*<Repetition>\s*<Interval>PT1M<\/Interval>/);
    expect(task).toMatch(/<StartBoundary>20\d\d-/);
    expect(task).toContain('<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>');
  });

  test('are all enabled', () => {
    for (const name of ['player-task.xml', 'update-task.xml']) {
      expect(read(`build/windows/${name}`)).not.toContain('<Enabled>false</Enabled>');
    }
  });
});

describe('the scripts', () => {
  const helper = read('build/windows/placard-update.ps1');
  const setup = read('build/windows/placard-setup.ps1');

  test('compare versions by their numbers, because electron-builder formats the texts differently', () => {
    expect(helper).not.toMatch(/\.ProductVersion|\.FileVersion/);
    expect(helper).toContain('$info.FileMajorPart, $info.FileMinorPart, $info.FileBuildPart');
  });

  test('run no package without checking its publisher, on a rollback neither', () => {
    const starts = [...helper.matchAll(/Start-Process/g)];
    expect(starts).toHaveLength(1);
    const before = helper.slice(helper.indexOf('function Install-Package'), starts[0]?.index);
    expect(before).toMatch(/\(Get-Publisher \$setup\) -cne \$state\.publisher\) \{ return 'spoilt' \}/);
  });

  test('start the player again after an installation that failed or was aborted', () => {
    expect(helper).toMatch(/^trap \{ Resume-Player; exit 70 \}$/m);
    expect(helper).toMatch(/Installing[\s\S]*exit 0 \}\s*Resume-Player/);
    expect(helper.indexOf("'rolled_back'")).toBeLessThan(helper.lastIndexOf('Resume-Player'));
    // The state says trial before the player on trial is started.
    expect(helper).toMatch(/phase = 'trial'; outcome = 'trial'[^\n]*\n\s*Resume-Player/);
    expect(setup).toContain('if (-not $Updating) { Start-Player }');
  });

  test('rename a folder that somebody else created, and follow no link in it', () => {
    const protect = setup.slice(
      setup.indexOf('function Protect-Folders'),
      setup.indexOf('function Copy-Settings'),
    );
    expect(protect).toContain('[IO.Directory]::Move($Root, $aside)');
    // Permissions are set on single folders: a recursion would follow links that a user has put there.
    expect(`${setup}${read('build/installer.nsh')}`).not.toMatch(/icacls|takeown|-Recurse[^\n]*\$Root\b/);
    expect(setup).toMatch(/\$Inbox = 'O:BAD:PAI\(A;OICI;FA;;;SY\)\(A;OICI;FA;;;BA\)\(A;;0x1200eb;;;BU\)/);
    expect(setup).toMatch(/\$Private = 'O:BAD:PAI\(A;OICI;FA;;;SY\)\(A;OICI;FA;;;BA\)'/);
  });

  test('load only modules of Windows', () => {
    for (const script of [helper, setup]) {
      expect(script).toContain("$env:PSModulePath = Join-Path $PSHOME 'Modules'");
    }
  });
});

describe('the version of a package', () => {
  test('does not contain the build number of a build server', () => {
    const env = Object.fromEntries(BUILD_NUMBER_VARIABLES.map((name) => [name, '123']));
    expect(builderEnv({ ...env, PATH: '/bin' })).toEqual({ PATH: '/bin' });
  });

  test('ignores every variable that the installed electron-builder reads for it', () => {
    const source = readFileSync(
      createRequire(import.meta.url).resolve('app-builder-lib/out/appInfo.js'),
      'utf8',
    );
    const [, variables = ''] = /const buildNumberEnvs =([\s\S]*?);/.exec(source) ?? [];
    const names = [...variables.matchAll(/process\.env\.(\w+)/g)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(BUILD_NUMBER_VARIABLES).toEqual(expect.arrayContaining(names));
  });
});

describe('the package for Debian', () => {
  test('depends first on the name that ALSA has on Ubuntu since 24.04', () => {
    expect(read('electron-builder.yml')).toContain('- libasound2t64 | libasound2\n');
  });

  test('is configured even if the kernel rejects AppArmor profiles', () => {
    const postinst = read('build/linux/postinst.sh');
    const part = postinst.slice(postinst.indexOf('# Ubuntu 24.04 and later allow'));
    const script = `set -e
      app=/opt/Placard
      apparmor_status() { :; }
      ischroot() { return 1; }
      cp() { :; }
      apparmor_parser() { [ "$1" != --replace ]; }
      ${part}`;
    const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(stderr).toContain('the AppArmor profile could not be loaded');
  });
});
