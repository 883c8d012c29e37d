import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { run } from '../../scripts/run.ts';
import { documentedCommands } from './documents.ts';
import { commandsFor, readPlayerPackage } from './player-package.ts';
import { CACHE_DIR, mirrors } from './host.ts';
import type { System } from './systems.ts';

/** A system with the player on its disk, ready to boot. */
export interface SystemImage {
  /** Raw ext4; machines boot from overlays of it. */
  readonly disk: string;
  readonly kernel: string;
  readonly initrd: string;
  /** The kernel command line that the boot loader of the system would use. */
  readonly commandLine: string;
}

/** Packages that Debian's installer adds to a minimal debootstrap system. */
const INSTALLER_ADDS = [
  'openssh-server',
  'sudo',
  'dbus',
  'libpam-systemd',
  'systemd-timesyncd',
  'ca-certificates',
  'initramfs-tools',
];
const DISK_BYTES = '6G';

/** The tests control the system over its serial port: a shell without prompt and echo. */
const CONSOLE_UNIT = `[Unit]
Description=Console of the trial
DefaultDependencies=no
After=systemd-remount-fs.service
[Service]
ExecStartPre=/bin/stty -F /dev/SERIAL raw -echo
ExecStart=/bin/sh
StandardInput=tty
StandardOutput=tty
StandardError=tty
TTYPath=/dev/SERIAL
Restart=always
RestartSec=1
OOMScoreAdjust=-1000
[Install]
WantedBy=sysinit.target
`;

/** `grub-mkconfig` examines the host's disks: this replacement reads the same files and prints the kernel command line. */
const UPDATE_GRUB = `#!/bin/sh
set -e
GRUB_CMDLINE_LINUX_DEFAULT=quiet
[ ! -f /etc/default/grub ] || . /etc/default/grub
for file in /etc/default/grub.d/*.cfg; do [ ! -f "$file" ] || . "$file"; done
echo "$GRUB_CMDLINE_LINUX $GRUB_CMDLINE_LINUX_DEFAULT" >/boot/command-line
`;

/** The boot partition of Raspberry Pi OS is a plain folder here; its kernel and firmware only run on the board. */
const PI_COMMAND_LINE =
  'console=serial0,115200 console=tty1 root=PARTUUID=00000000-02 rootfstype=ext4 fsck.repair=yes rootwait';

const serialPortOf = ({ arch }: System): string => (arch === 'arm64' ? 'ttyAMA0' : 'ttyS0');

/**
 * A minimal system as its installer leaves it, in a cached archive: building it takes ten minutes and never differs.
 * Returns its path.
 */
function baseArchive(system: System): string {
  const archive = join(CACHE_DIR, `${system.suite}-${system.arch}.tar`);
  if (existsSync(archive)) {
    return archive;
  }
  const work = workFolder(system);
  const tree = join(work, 'tree');
  const { main, security } = mirrors();
  run('debootstrap', [
    `--arch=${system.arch}`,
    `--include=${[`linux-image-${system.arch}`, ...INSTALLER_ADDS].join(',')}`,
    system.suite,
    tree,
    main,
  ]);
  const put = (path: string, text: string, mode = 0o644) => writeFileSync(join(tree, path), text, { mode });
  put(
    'etc/apt/sources.list',
    `deb ${main} ${system.suite} main\ndeb ${main} ${system.suite}-updates main\ndeb ${security} ${system.suite}-security main\n`,
  );
  put('etc/fstab', '/dev/vda / ext4 errors=remount-ro 0 1\n');
  put('etc/hostname', 'box\n');
  put('etc/hosts', '127.0.0.1 localhost\n127.0.1.1 box\n');
  put(
    'etc/network/interfaces',
    'auto lo\niface lo inet loopback\n\nallow-hotplug enp0s3\niface enp0s3 inet dhcp\n',
  );
  put('etc/systemd/system/trial-console.service', CONSOLE_UNIT.replaceAll('SERIAL', serialPortOf(system)));
  put('usr/sbin/update-grub', UPDATE_GRUB, 0o755);
  runInTree(tree, 'mkdir -p /etc/default/grub.d && update-grub && systemctl enable trial-console.service');
  if (system.arch === 'arm64') {
    mkdirSync(join(tree, 'boot/firmware'));
    put('boot/firmware/cmdline.txt', `${PI_COMMAND_LINE}\n`);
  }
  runInTree(tree, 'apt-get update');
  run('tar', [
    '--create',
    '--numeric-owner',
    '--xattrs',
    '--file',
    join(work, 'archive.tar'),
    '--directory',
    tree,
    '.',
  ]);
  renameSync(join(work, 'archive.tar'), archive);
  rmSync(work, { recursive: true });
  return archive;
}

/** A new folder in the cache: what is built in it is renamed when it is complete, so runs side by side share no files. */
function workFolder({ suite, arch }: System): string {
  mkdirSync(CACHE_DIR, { recursive: true });
  return mkdtempSync(join(CACHE_DIR, `${suite}-${arch}-new-`));
}

/** Runs a script as root in the tree of a system; of the host, only network and cached packages are available. */
export function runInTree(tree: string, script: string, directory = '/'): string {
  const packages = join(CACHE_DIR, 'packages', basename(dirname(tree)).split('-').slice(0, 2).join('-'));
  mkdirSync(packages, { recursive: true });
  // Two concurrent runs of apt cannot share the package cache.
  return run('flock', [
    `${packages}.lock`,
    'unshare',
    '--mount',
    '--pid',
    '--fork',
    'sh',
    '-ec',
    CHROOT_SCRIPT,
    'sh',
    tree,
    script,
    directory,
    packages,
  ]);
}

/** $1 tree, $2 script, $3 folder in the tree, $4 cached packages. */
const CHROOT_SCRIPT = `
mount -t proc none "$1/proc"
mount --bind /dev "$1/dev"
mount -t tmpfs none "$1/run"
mkdir -p "$1/var/cache/apt/archives"
mount --bind "$4" "$1/var/cache/apt/archives"
cp /etc/resolv.conf "$1/etc/resolv.conf"
# No services are started here, and nothing waits for the disk.
printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
chmod 755 "$1/usr/sbin/policy-rc.d"
echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/trial"
echo 'Binary::apt::APT::Keep-Downloaded-Packages "true";' >"$1/etc/apt/apt.conf.d/99trial"
chroot "$1" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 sh -ec 'cd "$1"; eval "$2"' sh "$3" "$2"
rm "$1/usr/sbin/policy-rc.d" "$1/etc/dpkg/dpkg.cfg.d/trial" "$1/etc/apt/apt.conf.d/99trial" "$1/etc/resolv.conf"
`;

/**
 * Installs the package as the system's document says and makes a disk of the result. Cached while package, document and
 * base are unchanged. `server` replaces the address in the document; `after` are commands to run at the end.
 */
export function installedImage(
  system: System,
  deb: string,
  server: string,
  { label = 'player', after = [] }: { label?: string; after?: readonly string[] } = {},
): SystemImage {
  const documented = commandsFor(readPlayerPackage(deb), [
    ...documentedCommands(system.document, 'install'),
    ...documentedCommands(system.document, 'hide-boot-text'),
  ])
    // The machine is powered on later; nothing is running yet that must be restarted.
    .filter((command) => command !== 'sudo reboot')
    .map((command) =>
      command.replaceAll('https://signage.example.com', server).replace(/^(sudo apt(?:-get)?) /, '$1 -y '),
    );
  return imageAfterCommands(system, label, deb, [...documented, ...after]);
}

/**
 * Copies the disk into `folder` and changes some of its files without a boot: `change` gets the current text and returns
 * the new one, or null to remove the file.
 */
export function alteredImage(
  image: SystemImage,
  folder: string,
  change: Readonly<Record<string, (text: string) => string | null>>,
): SystemImage {
  mkdirSync(folder, { recursive: true });
  const disk = join(folder, 'altered.raw');
  const [source, commands] = [`${disk}.text`, `${disk}.commands`];
  const textOf = (path: string) => run('debugfs', ['-R', `cat ${path}`, disk]);
  run('cp', ['--sparse=always', image.disk, disk]);
  for (const [path, changed] of Object.entries(change)) {
    const text = changed(textOf(path));
    // debugfs only writes into its current folder.
    const lines = [`cd ${dirname(path)}`, `rm ${basename(path)}`];
    if (text !== null) {
      writeFileSync(source, text);
      lines.push(`write ${source} ${basename(path)}`);
    }
    writeFileSync(commands, `${lines.join('\n')}\n`);
    run('debugfs', ['-w', '-f', commands, disk]);
    // debugfs exits with 0 even when it fails.
    if (textOf(path) !== (text ?? '')) {
      throw new Error(`debugfs could not change ${path} of ${disk}`);
    }
  }
  return { ...image, disk };
}

/** A system after these commands, run in the folder of the package. Cached while package, commands and base are unchanged. */
export function imageAfterCommands(
  system: System,
  label: string,
  deb: string,
  commands: readonly string[],
): SystemImage {
  const fingerprint = createHash('sha256')
    .update(readFileSync(deb))
    .update(JSON.stringify(commands))
    .digest('hex')
    .slice(0, 12);
  return buildImage(system, `${label}-${fingerprint}`, (tree) => {
    const copy = join(tree, 'root', readPlayerPackage(deb).fileName);
    copyFileSync(deb, copy);
    for (const command of commands) {
      runInTree(tree, command, '/root');
    }
    rmSync(copy);
  });
}

/** The boot loader's kernel command line, without the options for the disk and the serial port of the real board. */
function commandLineOf({ arch }: System, tree: string): string {
  if (arch === 'amd64') {
    return readFileSync(join(tree, 'boot/command-line'), 'utf8').trim();
  }
  return readFileSync(join(tree, 'boot/firmware/cmdline.txt'), 'utf8')
    .trim()
    .replaceAll(/(console=serial0\S*|root=\S+|rootwait) ?/g, '');
}

/** The system without a player, after `change` has modified its tree. */
export function buildImage(system: System, name: string, change: (tree: string) => void): SystemImage {
  const folder = join(CACHE_DIR, `${system.suite}-${system.arch}-${name}`);
  if (!existsSync(folder)) {
    const archive = baseArchive(system);
    const work = workFolder(system);
    const tree = join(work, 'tree');
    mkdirSync(tree);
    run('tar', ['--extract', '--numeric-owner', '--xattrs', '--file', archive, '--directory', tree]);
    change(tree);
    // Every device creates its own at its first boot.
    writeFileSync(join(tree, 'etc/machine-id'), '');
    rmSync(join(tree, 'var/lib/dbus/machine-id'), { force: true });
    const { disk, kernel, initrd, commandLine } = imageFiles(work);
    run('sh', [
      '-c',
      // The newest, as the boot loader does: a full upgrade may have added one.
      'newest() { ls "$1"-* | sort -V | tail -1; }; cp "$(newest "$1/boot/vmlinuz")" "$2" && cp "$(newest "$1/boot/initrd.img")" "$3"',
      'sh',
      tree,
      kernel,
      initrd,
    ]);
    run('mke2fs', ['-q', '-t', 'ext4', '-d', tree, disk, DISK_BYTES]);
    writeFileSync(commandLine, commandLineOf(system, tree));
    rmSync(tree, { recursive: true });
    moveUnlessExists(work, folder);
  }
  const { commandLine, ...files } = imageFiles(folder);
  return { ...files, commandLine: readFileSync(commandLine, 'utf8').trim() };
}

const imageFiles = (folder: string) => ({
  disk: join(folder, 'disk.raw'),
  kernel: join(folder, 'vmlinuz'),
  initrd: join(folder, 'initrd'),
  commandLine: join(folder, 'command-line'),
});

/** Another run may have built the same meanwhile. */
function moveUnlessExists(work: string, folder: string): void {
  try {
    renameSync(work, folder);
  } catch (error) {
    if (!existsSync(folder)) {
      throw error;
    }
    rmSync(work, { recursive: true });
  }
}
