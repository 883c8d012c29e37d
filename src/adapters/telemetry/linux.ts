import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** Percentage of memory that is not available, from the text of `/proc/meminfo`; null when it is not in there. */
export function memoryPercentOf(meminfo: string): number | null {
  const kilobytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(meminfo)?.[1] ?? Number.NaN);
  const percent = (1 - kilobytes('MemAvailable') / kilobytes('MemTotal')) * 100;
  return Number.isFinite(percent) ? percent : null;
}

export interface Wifi {
  /** Measured by the radio; null when the driver reports no dBm. */
  signalDbm: number | null;
  qualityPercent: number | null;
}

/** The first radio in the text of `/proc/net/wireless`; null when there is none. */
export function wifiOf(text: string): Wifi | null {
  for (const line of text.split('\n').slice(2)) {
    const [, quality, level] = /^\s*\S+:\s+\S+\s+(-?[\d.]+)\s+(-?[\d.]+)/.exec(line) ?? [];
    if (quality === undefined || level === undefined) {
      continue;
    }
    const dbm = Number(level);
    return {
      // Old drivers report a level from 0 upwards, which is not dBm.
      signalDbm: dbm < 0 && dbm > -200 ? dbm : null,
      qualityPercent: Math.min(100, Math.max(0, (Number(quality) / 70) * 100)),
    };
  }
  return null;
}

/** Whether this interface of `/sys/class/net` is a radio. Newer drivers have no `wireless` entry any more. */
export const isRadio = (netDir: string, card: string): boolean =>
  existsSync(`${netDir}/${card}/phy80211`) || existsSync(`${netDir}/${card}/wireless`);

export async function hasRadio(netDir: string): Promise<boolean> {
  const cards = await readdir(netDir).catch(() => []);
  return cards.some((card) => isRadio(netDir, card));
}

/** The hottest thermal zone in °C; null when the device has none. */
export async function readHottestZoneCelsius(folder = '/sys/class/thermal'): Promise<number | null> {
  const zones = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('thermal_zone'));
  const readings = await Promise.all(
    zones.map((zone) => readFile(`${folder}/${zone}/temp`, 'utf8').then(Number, () => Number.NaN)),
  );
  const celsius = readings
    .map((milli) => milli / 1_000)
    .filter((value) => value > -50 && value < 200 && value !== 0);
  return celsius.length > 0 ? Math.max(...celsius) : null;
}
