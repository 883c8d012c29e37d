import { readFile, statfs } from 'node:fs/promises';
import { cpus, networkInterfaces, platform, totalmem } from 'node:os';
import type { NetworkInterfaceInfo } from 'node:os';
import type { Log, NetworkInterface, Telemetry } from '../../core/ports.ts';
import { hasRadio, isRadio, memoryPercentOf, readHottestZoneCelsius, wifiOf } from './linux.ts';
import type { Wifi } from './linux.ts';
import { probe } from './probe.ts';

/** Windows is queried through PowerShell, which is slow. */
const TIMEOUT_MS = platform() === 'win32' ? 15_000 : 5_000;
/** Loaded late: it is large, and not needed before the first picture. */
const systeminformation = () => import('systeminformation');
const NO_WIFI: Wifi = { signalDbm: null, qualityPercent: null };

/** Reads each sensor from the cheapest source; systeminformation where the system has no direct one. */
export function createTelemetry(deps: {
  /** The disk that holds this folder is measured. */
  dataDir: string;
  log: Log;
  /** For tests. */
  timeoutMs?: number;
  /** For tests, instead of `/sys/class/net`. */
  netDir?: string;
  /** For tests. */
  radios?: () => Promise<{ iface: string; ssid: string }[]>;
}): Telemetry {
  const { dataDir, log, timeoutMs = TIMEOUT_MS, netDir = '/sys/class/net' } = deps;
  const radios = deps.radios ?? (async () => (await systeminformation()).wifiConnections());
  const timed = <T>(name: string, missing: T, read: () => Promise<T>) =>
    probe({ name, timeoutMs, missing, read, log });

  let before = cpuTimes();
  const cpu = timed('cpu', null, async () => {
    const now = cpuTimes();
    const total = now.total - before.total;
    const percent = total > 0 ? (1 - (now.idle - before.idle) / total) * 100 : null;
    before = now;
    return percent;
  });
  const memory = timed<number | null>('memory', null, async () => {
    if (platform() === 'linux') {
      return memoryPercentOf(await readFile('/proc/meminfo', 'utf8'));
    }
    const { total, available } = await (await systeminformation()).mem();
    return total > 0 ? (1 - available / total) * 100 : null;
  });
  const disk = timed<number | null>('disk', null, async () => {
    const { blocks, bfree, bavail } = await statfs(dataDir);
    const used = blocks - bfree;
    return used + bavail > 0 ? (used / (used + bavail)) * 100 : null;
  });
  const temperature = timed<number | null>('temperature', null, async () => {
    const zones = platform() === 'linux' ? await readHottestZoneCelsius() : null;
    if (zones !== null) {
      return zones;
    }
    const { cpuTemperature } = await systeminformation();
    return (await cpuTemperature()).main ?? null;
  });
  const wifi = timed<Wifi>('wifi', NO_WIFI, async () => {
    if (platform() === 'linux') {
      return wifiOf(await readFile('/proc/net/wireless', 'utf8').catch(() => '')) ?? NO_WIFI;
    }
    const [connection] = await (await systeminformation()).wifiConnections();
    // systeminformation computes dBm from the quality where the system measures none, so only the quality is used.
    return { signalDbm: null, qualityPercent: connection?.quality ?? null };
  });
  const ssids = timed('ssid', new Map<string, string>(), async () => {
    // systeminformation runs `iw` and `nmcli` synchronously, which blocks this process.
    if (platform() === 'linux' && !(await hasRadio(netDir))) {
      return new Map();
    }
    const connections = await radios();
    return new Map(connections.map((one) => [one.iface, one.ssid]));
  });
  const model = timed<string | null>('model', null, async () => {
    const { manufacturer, model: name } = await (await systeminformation()).system();
    return `${manufacturer} ${name}`.trim() || null;
  });
  const diskTotal = timed<number | null>('disk_total', null, async () => {
    const { blocks, bsize } = await statfs(dataDir);
    return blocks * bsize;
  });

  const cards = timed<NodeJS.Dict<NetworkInterfaceInfo[]>>('interfaces', {}, async () => networkInterfaces());
  const interfaces = async (): Promise<NetworkInterface[]> => {
    const names = await ssids();
    const found = Object.entries(await cards()).map(async ([name, addresses = []]) => {
      const outer = addresses.filter((address) => !address.internal);
      if (outer.length === 0) {
        return [];
      }
      return [
        {
          name,
          kind: await kindOf(name, netDir),
          mac: outer[0]?.mac ?? null,
          addresses: outer.map((address) => address.address).slice(0, 32),
          ssid: names.get(name) ?? null,
        },
      ];
    });
    return (await Promise.all(found)).flat();
  };

  return {
    async sample() {
      // One after the other: some start child processes, too many at once for a small device.
      const cpuPercent = await cpu();
      const memoryPercent = await memory();
      const diskPercent = await disk();
      const celsius = await temperature();
      const radio = await wifi();
      return {
        cpu_percent: cpuPercent,
        memory_percent: memoryPercent,
        disk_percent: diskPercent,
        temperature_celsius: celsius,
        wifi_signal_dbm: radio.signalDbm,
        wifi_quality_percent: radio.qualityPercent,
      };
    },
    async hardware() {
      const processors = cpus();
      return {
        model: await model(),
        cpu: { model: processors[0]?.model ?? null, cores: processors.length || null },
        memory_total: totalmem(),
        disk_total: await diskTotal(),
        network_interfaces: await interfaces(),
      };
    },
    interfaces,
  };
}

async function kindOf(name: string, netDir: string): Promise<NetworkInterface['kind']> {
  if (/^(wl|wi-?fi)/i.test(name) || isRadio(netDir, name)) {
    return 'wireless';
  }
  return /^(e[nt]|ethernet)/i.test(name) ? 'wired' : 'other';
}

function cpuTimes(): { idle: number; total: number } {
  let idle = 0;
  let total = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    total += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { idle, total };
}
