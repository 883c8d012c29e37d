import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../scripts/run.ts';
import { openConsole } from './console.ts';
import type { SerialConsole } from './console.ts';
import { openMonitor } from './monitor.ts';
import type { Monitor } from './monitor.ts';
import { readScreenshotStats } from './screenshot-stats.ts';
import type { ScreenshotStats } from './screenshot-stats.ts';
import type { SystemImage } from './system-image.ts';
import type { System } from './systems.ts';
import type { VolatileDisk } from './volatile-disk.ts';

export interface VirtualMachineOptions {
  system: System;
  image: SystemImage;
  /** Contains the disk of this machine and its screenshots. */
  folder: string;
  memoryMegabytes?: number;
  /** Initial time of its clock, ISO 8601; by default the time of the host. */
  clock?: string;
  /** Resolution of the screen. */
  panel?: { width: number; height: number };
  /** MAC address of its network card; QEMU's default if not given. */
  mac?: string;
  /** Used instead of its own disk, which loses no data in a power cut. */
  volatileDisk?: VolatileDisk;
  /** Additional arguments for QEMU. */
  more?: readonly string[];
}

/** An emulated machine, controlled from outside. Its disk survives power cuts. */
export interface VirtualMachine {
  readonly folder: string;
  readonly system: System;
  /** Milliseconds since the power was last switched on. */
  msSincePowerOn(): number;
  powerOn(options?: { clock?: string; unplugged?: boolean }): Promise<void>;
  /** Ends the machine without warning; its memory is lost. */
  powerCut(): Promise<void>;
  readonly monitor: Monitor;
  readonly console: SerialConsole;
  /** Takes a screenshot, saved as `<label>.png`. */
  takeScreenshot(label: string): Promise<ScreenshotStats>;
  /** Presses keys together, by QEMU's names: `press('ctrl', 'alt', 'f2')`. */
  press(...keys: string[]): Promise<void>;
  /** Saves disk and memory of the running machine under a name, for `loadState`. */
  saveState(name: string): Promise<void>;
  loadState(name: string): Promise<void>;
  /** Plugs the network cable in or out. */
  plugNetwork(on: boolean): Promise<void>;
  /** Holds all packets back in both directions while the cable stays in; they are delivered afterwards. */
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

/** Emulation only, no KVM: nested virtualization hangs where it is available at all. */
function qemuArguments(options: VirtualMachineOptions, sockets: string, clock: string | undefined): string[] {
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

function throwPoweredOff(): never {
  throw new Error('the machine is off');
}

export async function createVirtualMachine(options: VirtualMachineOptions): Promise<VirtualMachine> {
  const { folder, image, system } = options;
  mkdirSync(folder, { recursive: true });
  const disk = join(folder, 'disk.qcow2');
  if (!options.volatileDisk && !existsSync(disk)) {
    run('qemu-img', ['create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', image.disk, disk]);
  }
  let child: ChildProcess | null = null;
  let monitor: Monitor | null = null;
  let serial: SerialConsole | null = null;
  let onAtMs = 0;
  /** In a separate folder, because the path of a socket has a maximum length. */
  let sockets: string | null = null;
  const program = system.arch === 'amd64' ? 'qemu-system-x86_64' : 'qemu-system-aarch64';
  /** These monitor commands return an error message, or an empty text on success. */
  async function runStateCommand(command: 'savevm' | 'loadvm', name: string): Promise<void> {
    const complaint = await machine.monitor.call('human-monitor-command', {
      'command-line': `${command} ${name}`,
    });
    if (String(complaint).trim() !== '') {
      throw new Error(`${command} ${name} failed: ${String(complaint)}`);
    }
  }
  const machine: VirtualMachine = {
    folder,
    system,
    msSincePowerOn: () => performance.now() - onAtMs,
    get monitor() {
      return monitor ?? throwPoweredOff();
    },
    get console() {
      return serial ?? throwPoweredOff();
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
      if (unplugged) {
        await machine.plugNetwork(false);
      }
    },
    async powerCut() {
      const ending = child;
      monitor?.close();
      serial?.close();
      child = monitor = serial = null;
      if (ending && ending.exitCode === null && ending.signalCode === null) {
        const exited = once(ending, 'exit');
        ending.kill('SIGKILL');
        await exited;
      }
      if (sockets !== null) {
        rmSync(sockets, { recursive: true, force: true });
      }
      sockets = null;
    },
    async takeScreenshot(label) {
      const file = join(folder, `${label}.png`);
      await machine.monitor.call('screendump', { filename: file, format: 'png' });
      return readScreenshotStats(file);
    },
    async press(...keys) {
      await machine.monitor.call('send-key', {
        keys: keys.map((data) => ({ type: 'qcode', data })),
        'hold-time': 80,
      });
    },
    saveState: (name) => runStateCommand('savevm', name),
    loadState: (name) => runStateCommand('loadvm', name),
    muteNetwork: async (on) =>
      void (await (on
        ? machine.monitor.call('object-add', {
            'qom-type': 'filter-buffer',
            id: 'mute',
            netdev: 'net0',
            // One hour, in microseconds.
            interval: 3_600_000_000,
          })
        : machine.monitor.call('object-del', { id: 'mute' }))),
    plugNetwork: async (on) => void (await machine.monitor.call('set_link', { name: 'card0', up: on })),
  };
  return machine;
}
