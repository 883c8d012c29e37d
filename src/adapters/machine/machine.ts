import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { arch, hostname, platform, uptime } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Log, Machine } from '../../core/ports.ts';

export interface MachineDeps {
  /** Where a serial is kept when the box has none of its own. */
  dataDir: string;
  /** Logs a reboot instead of asking for it. */
  dryRun: boolean;
  log: Log;
}

const SERIALS = [
  '/etc/machine-id',
  '/sys/class/dmi/id/product_uuid',
  '/sys/firmware/devicetree/base/serial-number',
];

export function createMachine(deps: MachineDeps): Machine {
  const { log } = deps;
  return {
    serial: readSerial(deps.dataDir, log),
    bootId: bootIdOf(platform()) ?? bootIdFromUptime(),
    platform: platformName(platform(), arch()),
    hostname: hostname(),
    uptimeSeconds: () => uptime(),
    async reboot() {
      const [file, args] = rebootCommand(platform());
      log.warn({ dry_run: deps.dryRun }, 'machine.reboot');
      if (deps.dryRun) return;
      await promisify(execFile)(file, args, { timeout: 30_000 });
    },
  };
}

/** `linux`, `linux-arm64`, `windows`, … as the cloud names them. */
export function platformName(os: NodeJS.Platform, architecture: string): string {
  const name = os === 'win32' ? 'windows' : os === 'darwin' ? 'macos' : os;
  return architecture === 'x64' ? name : `${name}-${architecture}`;
}

export const rebootCommand = (os: NodeJS.Platform): [file: string, args: string[]] =>
  os === 'win32' ? ['shutdown', ['/r', '/f', '/t', '5']] : ['systemctl', ['reboot']];

/**
 * The box's own serial, so that a wiped player is recognized; else one made once and kept. Part of the data folder
 * goes into it, so that two players on one box are two screens.
 */
function readSerial(dataDir: string, log: Log): string {
  const file = join(dataDir, 'serial');
  const kept = readText(file);
  if (kept) return kept;
  const own = SERIALS.map(readText).find((text) => text !== null && text.length >= 8);
  const serial = own ? `${own.slice(0, 32)}-${randomUUID().slice(0, 8)}` : randomUUID();
  try {
    writeFileSync(file, serial);
  } catch (error) {
    // It is asked for when the screen pairs; what is held can be shown without.
    log.warn({ error: String(error) }, 'machine.serial_not_kept');
  }
  return serial;
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').replaceAll('\0', '').trim() || null;
  } catch {
    return null;
  }
}

const bootIdOf = (os: NodeJS.Platform): string | null =>
  os === 'win32' ? windowsBootId() : readText('/proc/sys/kernel/random/boot_id');

const PREFETCH =
  'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management\\PrefetchParameters';

/**
 * The number that Windows gives to each of its boots; null when it cannot be had. The time of the last boot, which
 * Windows tells too, moves with every correction of its clock (boostorg/interprocess#96).
 */
export function windowsBootId(
  reg = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\reg.exe`,
): string | null {
  try {
    const told = execFileSync(reg, ['query', PREFETCH, '/v', 'BootId'], {
      encoding: 'utf8',
      timeout: 5_000,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const id = /^\s*BootId\s+REG_DWORD\s+0x([0-9a-f]+)\s*$/im.exec(told)?.[1];
    return id === undefined ? null : `windows-${Number.parseInt(id, 16)}`;
  } catch {
    return null;
  }
}

/** Where the system has no boot id, the minute of the boot stands for it, though a clock that is set moves it. */
const bootIdFromUptime = (): string => `boot-${Math.round((Date.now() / 1_000 - uptime()) / 60)}`;
