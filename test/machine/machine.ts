import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../scripts/dist/run.ts';
import { openConsole, type SerialConsole } from './console.ts';
import { openMonitor, type Monitor } from './monitor.ts';
import { readScreen, type ScreenReading } from './screen.ts';
import type { SystemImage } from './system-image.ts';
import type { System } from './systems.ts';
import type { VolatileDisk } from './volatile-disk.ts';

export interface MachineOptions {
  system: System;
  image: SystemImage;
  /** Holds the disk of this machine and its pictures. */
  folder: string;
  memoryMegabytes?: number;
  /** Where its clock starts, ISO 8601; the time of the host if not given. */
  clock?: string;
  /** Pixels of the panel. */
  panel?: { width: number; height: number };
  /** Address of its network card; QEMU's own if not given. */
  mac?: string;
  /** In place of a disk of its own, which loses nothing that it was given. */
  volatileDisk?: VolatileDisk;
  /** More arguments of QEMU. */
  more?: readonly string[];
}

/** One emulated machine, driven from outside. Its disk outlives power cuts. */
export interface Machine {
  readonly folder: string;
  readonly system: System;
  /** Milliseconds since the power was last switched on. */
  sincePowerOn(): number;
  powerOn(options?: { clock?: string; unplugged?: boolean }): Promise<void>;
  /** The power goes without warning, and what was in memory with it. */
  powerCut(): Promise<void>;
  readonly monitor: Monitor;
  readonly console: SerialConsole;
  /** Takes a picture of the screen, kept as `<label>.png`. */
  look(label: string): Promise<ScreenReading>;
  /** Keys pressed together, by the names of QEMU: `press('ctrl', 'alt', 'f2')`. */
  press(...keys: string[]): Promise<void>;
  /** Keeps disk and memory of the running machine under a name, and brings them back into a running one. */
  saveState(name: string): Promise<void>;
  loadState(name: string): Promise<void>;
  /** Network cable in or out. */
  plugNetwork(on: boolean): Promise<void>;
  /** The cable is in, and nothing comes through in either direction; what was sent comes when that is over. */
  muteNetwork(on: boolean): Promise<void>;
}

const AMD64 = ['-machine', 'q35', '-cpu', 'Nehalem', '-vga', 'none', '-device'];
const ARM64 = [
  '-machine',
  'virt',
  '-cpu',
  'cortex-a72',
  '-device',
  'qemu-xhci,id=usb',
  '-device',
  'usb-kbd',
  '-device',
];

/** Emulation alone: nested virtualization hangs where it is offered at all. */
function qemuArguments(options: MachineOptions, sockets: string, clock: string | undefined): string[] {
  const { system, image, folder } = options;
  const panel = options.panel ?? { width: 1920, height: 1080 };
  const display = `${system.graphics},id=video0,xres=${panel.width},yres=${panel.height}`;
  return [
    ...(system.arch === 'amd64' ? AMD64 : ARM64),
    display,
    '-accel',
    'tcg,thread=multi',
    '-smp',
    '2',
    '-m',
    String(options.memoryMegabytes ?? 2048),
    '-display',
    'none',
    '-kernel',
    image.kernel,
    '-initrd',
    image.initrd,
    '-append',
    `root=/dev/vda ro ${image.commandLine}`,
    '-drive',
    options.volatileDisk
      ? `file=${options.volatileDisk.address},if=virtio,format=raw,cache=writeback`
      : `file=${join(folder, 'disk.qcow2')},if=virtio,format=qcow2,cache=writeback,discard=unmap`,
    '-netdev',
    'user,id=net0',
    '-device',
    `virtio-net-pci,netdev=net0,id=card0${options.mac === undefined ? '' : `,mac=${options.mac}`},romfile=${system.arch === 'amd64' ? ',bus=pcie.0,addr=0x3' : ''}`,
    '-device',
    'virtio-rng-pci',
    ...(system.arch === 'amd64' ? ['-device', 'qemu-xhci,id=usb'] : []),
    '-device',
    'virtio-tablet-pci',
    '-rtc',
    `base=${clock ?? 'utc'}`,
    '-serial',
    `unix:${join(sockets, 'serial')},server=on,wait=off`,
    '-qmp',
    `unix:${join(sockets, 'qmp')},server=on,wait=off`,
    '-no-user-config',
    '-nodefaults',
    ...(options.more ?? []),
  ];
}

function off(): never {
  throw new Error('the machine is off');
}

export async function createMachine(options: MachineOptions): Promise<Machine> {
  const { folder, image, system } = options;
  mkdirSync(folder, { recursive: true });
  const disk = join(folder, 'disk.qcow2');
  if (!options.volatileDisk && !existsSync(disk))
    run('qemu-img', ['create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', image.disk, disk]);
  let child: ChildProcess | null = null;
  let monitor: Monitor | null = null;
  let serial: SerialConsole | null = null;
  let onAtMs = 0;
  /** Not in the folder: a path that is too long is no address of a socket. */
  let sockets: string | null = null;
  const program = system.arch === 'amd64' ? 'qemu-system-x86_64' : 'qemu-system-aarch64';
  /** The commands of QEMU's monitor answer with a complaint, or with nothing. */
  async function state(command: 'savevm' | 'loadvm', name: string): Promise<void> {
    const complaint = await machine.monitor.call('human-monitor-command', {
      'command-line': `${command} ${name}`,
    });
    if (String(complaint).trim() !== '') throw new Error(`${command} ${name}: ${String(complaint)}`);
  }
  const machine: Machine = {
    folder,
    system,
    sincePowerOn: () => performance.now() - onAtMs,
    get monitor() {
      return monitor ?? off();
    },
    get console() {
      return serial ?? off();
    },
    async powerOn({ clock, unplugged } = {}) {
      sockets = mkdtempSync(join(tmpdir(), 'placard-vm-'));
      onAtMs = performance.now();
      const started = spawn(program, qemuArguments(options, sockets, clock ?? options.clock), {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      child = started;
      let complaint = '';
      started.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
      const ended = once(started, 'exit').then(() => Promise.reject(new Error(`QEMU ended: ${complaint}`)));
      ended.catch(() => {});
      monitor = await Promise.race([openMonitor(join(sockets, 'qmp')), ended]);
      serial = await openConsole(join(sockets, 'serial'));
      if (unplugged) await machine.plugNetwork(false);
    },
    async powerCut() {
      const ending = child;
      monitor?.close();
      serial?.close();
      child = monitor = serial = null;
      if (ending && ending.exitCode === null && ending.signalCode === null) {
        const gone = once(ending, 'exit');
        ending.kill('SIGKILL');
        await gone;
      }
      if (sockets !== null) rmSync(sockets, { recursive: true, force: true });
      sockets = null;
    },
    async look(label) {
      const file = join(folder, `${label}.png`);
      await machine.monitor.call('screendump', { filename: file, format: 'png' });
      return readScreen(file);
    },
    async press(...keys) {
      await machine.monitor.call('send-key', {
        keys: keys.map((data) => ({ type: 'qcode', data })),
        'hold-time': 80,
      });
    },
    saveState: (name) => state('savevm', name),
    loadState: (name) => state('loadvm', name),
    muteNetwork: async (on) =>
      void (await (on
        ? machine.monitor.call('object-add', {
            'qom-type': 'filter-buffer',
            id: 'mute',
            netdev: 'net0',
            // An hour, in microseconds.
            interval: 3_600_000_000,
          })
        : machine.monitor.call('object-del', { id: 'mute' }))),
    plugNetwork: async (on) => void (await machine.monitor.call('set_link', { name: 'card0', up: on })),
  };
  return machine;
}
