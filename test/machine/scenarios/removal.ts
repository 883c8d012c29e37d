import { run } from '../../../scripts/run.ts';
import { documentedCommands } from '../documents.ts';
import { commandsFor } from '../player-package.ts';
import { fatImage } from '../fat-image.ts';
import type { VirtualMachine } from '../virtual-machine.ts';
import type { Scenario } from '../scenario.ts';
import { imageAfterCommands } from '../system-image.ts';
import { eventually, HOST_ADDRESS, waitForScreen, showsSomething } from '../scenario-context.ts';
import type { ScenarioContext } from '../scenario-context.ts';
import { BOOT_WITHIN_MS, waitForStatus } from './power-on.ts';

const INSTALL_WITHIN_MS = 20 * 60_000;

/**
 * Allowed differences after the purge, with reasons. Every other file that is added, missing or changed is a bug of the
 * package.
 */
const EXCEPTIONS: readonly (readonly [what: RegExp, why: string])[] = [
  [
    / \/var\/(log|cache|tmp|spool|backups)(\/|$)| \/tmp(\/|$)/,
    'logs, caches, daily copies and temporary files of the system',
  ],
  [
    / \/var\/lib\/(dpkg|apt|aptitude|ucf|logrotate|man-db)(\/|$)/,
    'notes of the package manager and of daily jobs',
  ],
  [
    / \/var\/lib\/systemd\/(timers|timesync|random-seed|rfkill|backlight|coredump|catalog|pstore|linger)(\/|$)/,
    'state that systemd keeps between boots',
  ],
  [/ \/var\/lib\/(NetworkManager|dhcp|upower|colord|private|dbus)(\/|$)/, 'what services of the system keep'],
  [/ \/etc\/(passwd|group|shadow|gshadow|subuid|subgid)-$/, 'copies that useradd and userdel make'],
  [
    / \/etc\/(\.pwd\.lock|resolv\.conf|ld\.so\.cache|machine-id|adjtime)$/,
    'written by every boot or installation',
  ],
  [/ \/root(\/|$)/, 'the folder that the trial works in'],
];

/** Files with owner and mode, contents of /etc, users, groups, units, packages, and files that dpkg finds changed. */
const LISTING = `
find / -xdev -path /proc -prune -o -path /sys -prune -o -path /dev -prune -o -path /run -prune -o -printf 'file %M %u:%g %p\\n' | sort
find /etc -xdev -type f -exec sha256sum {} + | sed 's/^/content /; s/  / /' | sort
getent passwd | sed 's/^/user /' | sort
getent group | sed 's/^/group /' | sort
systemctl list-unit-files --no-legend --no-pager --state=enabled,masked,static | awk '{print "unit", $2, $1}' | sort
systemctl list-units --no-legend --no-pager --plain --state=failed | awk '{print "failed", $1}' | sort
dpkg-query -W -f 'package \${db:Status-Status} \${Package}\\n' | grep -v not-installed | sort
dpkg --verify | sed 's/^/changed /' | sort
sysctl -n kernel.sysrq | sed 's/^/sysrq /'
`;

const writeListing = (machine: VirtualMachine, name: string): Promise<string> =>
  machine.console.run(
    `systemctl is-system-running --wait >/dev/null || true; mkdir -p /root/trial; (${LISTING}) >/root/trial/${name} 2>/root/trial/${name}.errors || true; wc -l </root/trial/${name}`,
    10 * 60_000,
  );

/** Splits the differences of two listings into mistakes and known exceptions. */
export function classifyDifferences(diff: string): { mistakes: string[]; excused: Map<string, number> } {
  const mistakes: string[] = [];
  const excused = new Map<string, number>();
  for (const line of diff.split('\n').filter((text) => /^[<>] /.test(text))) {
    const why = EXCEPTIONS.find(([what]) => what.test(line))?.[1];
    if (why === undefined) {
      mistakes.push(line);
    } else {
      excused.set(why, (excused.get(why) ?? 0) + 1);
    }
  }
  return { mistakes, excused };
}

async function rebootMachine(machine: VirtualMachine): Promise<void> {
  const before = await machine.console.run('cat /proc/sys/kernel/random/boot_id');
  await machine.console.run('sync; systemctl --no-block reboot');
  await eventually('another boot', BOOT_WITHIN_MS, async () => {
    const now = await machine.console.tryRun('cat /proc/sys/kernel/random/boot_id', 5_000);
    return now !== null && now !== before;
  });
}

/** A login prompt is on the first console, and on the second after switching to it. */
async function expectConsoles(machine: VirtualMachine): Promise<void> {
  await eventually('the log-in prompt on the first console', BOOT_WITHIN_MS, () =>
    machine.console.tryRun('systemctl is-active getty@tty1.service', 20_000),
  );
  await machine.press('ctrl', 'alt', 'f2');
  await eventually('the log-in prompt on the second console', 120_000, () =>
    machine.console.tryRun(
      'systemctl is-active getty@tty2.service && test "$(cat /sys/class/tty/tty0/active)" = tty2',
      20_000,
    ),
  );
  await waitForScreen(machine, 'second-console', 60_000, ({ black }) => black > 0.5 && black < 0.9999);
}

/** The system with all dependencies but without the package, so that only the package's own files are compared. */
const preparedImage = (context: ScenarioContext) =>
  imageAfterCommands(context.system, 'dependencies', context.package.file, [
    'apt-get update',
    `apt-get -y satisfy '${['Depends', 'Recommends'].map((field) => run('dpkg-deb', ['-f', context.package.file, field]).trim()).join(', ')}'`,
  ]);

export const removal: Scenario = {
  name: 'removal',
  title: 'apt install, apt remove, apt purge: consoles are back, nothing is left behind',
  async run(context) {
    const disk = fatImage(
      context.folder,
      'package',
      { [context.package.fileName]: { from: context.package.file } },
      { megabytes: 512, label: 'PACKAGE' },
    );
    const machine = await context.createMachine('removal', {
      image: preparedImage(context),
      more: ['-drive', `file=${disk},if=virtio,format=raw,readonly=on`],
    });
    await machine.powerOn();
    await eventually('the console', BOOT_WITHIN_MS, () => machine.console.tryRun('true', 5_000));
    context.report(`${await writeListing(machine, 'before')} lines in the listing before the installation`);

    await machine.console.run(
      `mount -o ro /dev/disk/by-label/PACKAGE /mnt; DEBIAN_FRONTEND=noninteractive apt-get install -y /mnt/${context.package.fileName}; umount /mnt; echo '{ "server": "http://${HOST_ADDRESS}:${context.cloud.port}" }' >/etc/placard/config.json`,
      INSTALL_WITHIN_MS,
    );
    await rebootMachine(machine);
    await waitForStatus(machine, 'a pairing code', ({ code }) => code !== null);
    await waitForScreen(machine, 'installed', BOOT_WITHIN_MS, showsSomething);

    const [remove, purge] = commandsFor(context.package, documentedCommands('install-linux.md', 'remove'));
    await machine.console.run(`${remove} -y`, INSTALL_WITHIN_MS);
    await machine.console.run('test -d /var/lib/placard');
    await rebootMachine(machine);
    await expectConsoles(machine);

    await machine.console.run(`${purge} -y`, INSTALL_WITHIN_MS);
    await rebootMachine(machine);
    await writeListing(machine, 'after');
    const { mistakes, excused } = classifyDifferences(
      await machine.console.run('diff /root/trial/before /root/trial/after || true'),
    );
    for (const [why, count] of excused) {
      context.report(`expected difference: ${why} (${count})`);
    }
    if (mistakes.length > 0) {
      throw new Error(`files left behind or wrongly removed:\n${mistakes.join('\n')}`);
    }
    await machine.powerCut();
  },
};
