import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { arch, hostname, platform, uptime } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Log, Machine } from '../../core/ports.ts';

const SERIAL_FILES = [
  '/etc/machine-id',
  '/sys/class/dmi/id/product_uuid',
  '/sys/firmware/devicetree/base/serial-number',
];

export function createMachine(deps: {
  /** Where the serial is stored when the hardware has none. */
  dataDir: string;
  /** Logs a reboot instead of requesting it. */
  dryRun: boolean;
  log: Log;
}): Machine {
  const { log } = deps;
  return {
    serial: readSerial(deps.dataDir, log),
    bootId: readBootId(platform()) ?? bootIdFromUptime(),
    platform: platformName(platform(), arch()),
    hostname: hostname(),
    uptimeSeconds: () => uptime(),
    async reboot() {
      const [file, args] = rebootCommand(platform());
      log.warn({ dry_run: deps.dryRun }, 'machine.reboot_requested');
      if (deps.dryRun) {
        return;
      }
      await promisify(execFile)(file, args, { timeout: 30_000 });
    },
  };
}

/** `linux`, `linux-arm64`, `windows`, …: the platform names of the cloud. */
export function platformName(os: NodeJS.Platform, architecture: string): string {
  const name = os === 'win32' ? 'windows' : os === 'darwin' ? 'macos' : os;
  return architecture === 'x64' ? name : `${name}-${architecture}`;
}

export const rebootCommand = (os: NodeJS.Platform): [file: string, args: string[]] =>
  os === 'win32' ? ['shutdown', ['/r', '/f', '/t', '5']] : ['systemctl', ['reboot']];

/**
 * The hardware serial with a random suffix, or a random one without such hardware; stored in the data folder. The
 * serial shows that a wiped player is the same machine; the suffix makes two players on one machine two screens.
 */
function readSerial(dataDir: string, log: Log): string {
  const file = join(dataDir, 'serial');
  const stored = readText(file);
  if (stored) {
    return stored;
  }
  const hardwareSerial = SERIAL_FILES.map(readText).find((text) => text !== null && text.length >= 8);
  const serial = hardwareSerial ? `${hardwareSerial.slice(0, 32)}-${randomUUID().slice(0, 8)}` : randomUUID();
  try {
    writeFileSync(file, serial);
  } catch (error) {
    // The serial is needed only for pairing; cached media can be shown without it.
    log.warn({ error: String(error) }, 'machine.serial_save_failed');
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

const readBootId = (os: NodeJS.Platform): string | null =>
  os === 'win32' ? windowsBootId() : readText('/proc/sys/kernel/random/boot_id');

const BOOT_ID_KEY =
  'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management\\PrefetchParameters';

/**
 * The boot number of Windows; null when it is not available. The boot time that Windows reports changes with every
 * correction of its clock (boostorg/interprocess#96).
 */
export function windowsBootId(
  reg = `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\reg.exe`,
): string | null {
  try {
    const output = execFileSync(reg, ['query', BOOT_ID_KEY, '/v', 'BootId'], {
      encoding: 'utf8',
      timeout: 5_000,
      windowsHide: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const id = /^\s*BootId\s+REG_DWORD\s+0x([0-9a-f]+)\s*$/im.exec(output)?.[1];
    return id === undefined ? null : `windows-${Number.parseInt(id, 16)}`;
  } catch {
    return null;
  }
}

/** Without a boot id of the system, the minute of the boot stands for it, although setting the clock changes it. */
const bootIdFromUptime = (): string => `boot-${Math.round((Date.now() / 1_000 - uptime()) / 60)}`;
