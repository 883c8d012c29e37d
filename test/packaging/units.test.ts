import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CHROMIUM_PACKAGE } from '../../scripts/dist/chromium-deb.ts';
import { SYSTEM_FILES, installedPath } from '../../scripts/dist/system-files.ts';
import { documentedCommands } from '../machine/documents.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const LINUX = join(REPOSITORY, 'build/linux');
const units = readdirSync(LINUX).filter((name) => /\.(service|path|timer)$/.test(name));
const contentOf = (name: string) => readFileSync(join(LINUX, name), 'utf8');
const settings = (name: string, key: string) =>
  [...contentOf(name).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value);

describe('the units of the package', () => {
  test.each(units.filter((name) => settings(name, 'Type').includes('notify')))(
    '%s has no PAM session, so systemd receives its readiness and watchdog messages',
    (name) => {
      expect(settings(name, 'PAMName')).toEqual([]);
      expect(settings(name, 'NotifyAccess')).toEqual(['all']);
      expect(settings(name, 'WatchdogSec')).not.toEqual([]);
      expect(settings(name, 'MemoryMax')).not.toEqual([]);
      // Otherwise Chromium asks the session bus for its own scope, and leaves the unit.
      expect(settings(name, 'Environment')).toContain('DBUS_SESSION_BUS_ADDRESS=disabled:');
    },
  );

  test('the display has a session on the first console, and is restarted with the player', () => {
    expect(settings('placard-display.service', 'PAMName')).toEqual(['login']);
    expect(settings('placard-display.service', 'PartOf')).toEqual(['placard.service']);
    expect(settings('placard.service', 'Wants')).toEqual(['placard-display.service']);
  });

  test('display and player start on a full disk: their /tmp and logs are in memory', () => {
    for (const name of ['placard.service', 'placard-display.service']) {
      expect(settings(name, 'TemporaryFileSystem').join(' ')).toMatch(/^\/tmp:/);
      // Exists only on some systems; without the folder, X clients use another socket.
      expect(settings(name, 'BindPaths')).toEqual(['-/tmp/.X11-unix']);
    }
    const display = contentOf('placard-display');
    expect(display.indexOf('export XDG_DATA_HOME="$RUNTIME_DIRECTORY"')).toBeGreaterThan(0);
    expect(display.indexOf('export XDG_DATA_HOME=')).toBeLessThan(display.indexOf('exec X '));
  });

  test('the USB stick unit delays no other unit, mounts privately, and runs only while the player is not paired', () => {
    const stick = 'placard-stick@.service';
    expect(settings(stick, 'ExecCondition')).toEqual(['/usr/lib/placard/placard-stick wanted /dev/%I']);
    expect(settings(stick, 'TimeoutStartSec')).toEqual(['30']);
    for (const key of ['PrivateMounts', 'PrivateNetwork', 'NoNewPrivileges']) {
      expect(settings(stick, key)).toEqual(['yes']);
    }
    expect(settings(stick, 'Before|WantedBy|RequiredBy')).toEqual([]);
    for (const other of units) {
      expect(settings(other, 'Wants|Requires|After').join(' ')).not.toContain('stick');
    }
    const rule = contentOf('stick.rules');
    expect(rule).toContain('ENV{SYSTEMD_WANTS}+="placard-stick@%k.service"');
    expect(rule).toContain('SUBSYSTEMS=="usb"');
  });

  test('the package contains every unit and every program that a unit starts', () => {
    const places = SYSTEM_FILES.map((file) => `/${installedPath(file)}`);
    for (const name of units) {
      expect(places).toContain(`/usr/lib/systemd/system/${name}`);
    }
    const programs = units
      .flatMap((name) => settings(name, 'Exec\\w+'))
      .map((line) => line!.replace(/^[-+]*(\S+).*/, '$1'));
    const ours = programs.filter((program) => program.startsWith('/usr/lib/placard/'));
    expect(ours.length).toBeGreaterThan(2);
    for (const program of ours) {
      expect(places).toContain(program);
    }
  });

  test('neither a keyboard nor a console leads out of the player', () => {
    expect(contentOf('logind.conf'), 'no login prompts').toMatch(/^\[Login\]\nNAutoVTs=0\nReserveVT=0$/m);
    expect(contentOf('xorg.conf'), 'no other console').toMatch(/Option "DontVTSwitch" "true"/);
    expect(contentOf('xorg.conf'), 'no end of the X server').toMatch(/Option "DontZap" "true"/);
    expect(contentOf('sysctl.conf'), 'no SysRq').toMatch(/^kernel\.sysrq=0$/m);
    const bindings = contentOf('labwc/rc.xml');
    expect(bindings, 'no terminal, menu or window list').not.toMatch(
      /<default \/>|name="ShowMenu"|name="NextWindow"/,
    );
    for (const key of [
      'A-Tab',
      'A-F4',
      'C-w',
      'C-n',
      'C-t',
      'C-p',
      'C-r',
      'S-Escape',
      'F1',
      'F5',
      'F11',
      'F12',
    ]) {
      expect(bindings, key).toContain(
        `<keybind key="${key}"><action name="Execute" command="true" /></keybind>`,
      );
    }
  });

  test('the package with Electron contains the same files', () => {
    const builder = readFileSync(join(REPOSITORY, 'electron-builder.yml'), 'utf8');
    for (const file of SYSTEM_FILES) {
      expect(builder).toContain(`- build/linux/${file.source}=/${installedPath(file)}\n`);
    }
  });
});

describe('the installation documents', () => {
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')));

  test.each([
    ['install-linux.md', 'amd64'],
    ['install-raspberry-pi.md', 'arm64'],
  ])('%s installs the package of this version by apt', (document, arch) => {
    const commands = documentedCommands(document, 'install');
    expect(commands).toContain(`sudo apt install ./placard-chromium_${version}_${arch}.deb`);
    expect(commands.at(-1)).toBe('sudo reboot');
    expect(documentedCommands(document, 'hide-boot-text').join('\n')).toContain('quiet');
  });

  test('what upgrades and removes the player names the package that is installed', () => {
    expect(documentedCommands('install-linux.md', 'upgrade')).toEqual(
      documentedCommands('install-linux.md', 'install').filter((command) => command.includes('.deb')),
    );
    expect(documentedCommands('install-linux.md', 'remove')).toEqual([
      `sudo apt remove ${CHROMIUM_PACKAGE}`,
      `sudo apt purge ${CHROMIUM_PACKAGE}`,
    ]);
  });

  test('a missing block of commands is an error', () => {
    expect(() => documentedCommands('install-linux.md', 'nothing')).toThrow('has no block of commands');
  });
});
