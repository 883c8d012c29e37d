import { execFile } from 'node:child_process';
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
    bootId: readText('/proc/sys/kernel/random/boot_id') ?? bootIdFromUptime(),
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

/** Without a boot id of the system, the time of the boot to the minute stands for it. */
const bootIdFromUptime = (): string => `boot-${Math.round((Date.now() / 1_000 - uptime()) / 60)}`;
