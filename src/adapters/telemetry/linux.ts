import { access, readdir, readFile } from 'node:fs/promises';

/** Per cent of memory that is not available, from the text of `/proc/meminfo`; null when it says nothing of it. */
export function memoryPercentOf(meminfo: string): number | null {
  const kilobytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(meminfo)?.[1] ?? Number.NaN);
  const percent = (1 - kilobytes('MemAvailable') / kilobytes('MemTotal')) * 100;
  return Number.isFinite(percent) ? percent : null;
}

export interface Wifi {
  /** Measured by the radio; null when the driver gives no dBm. */
  signalDbm: number | null;
  qualityPercent: number | null;
}

/** The first radio in the text of `/proc/net/wireless`; null when there is none. */
export function wifiOf(text: string): Wifi | null {
  for (const line of text.split('\n').slice(2)) {
    const [, quality, level] = /^\s*\S+:\s+\S+\s+(-?[\d.]+)\s+(-?[\d.]+)/.exec(line) ?? [];
    if (quality === undefined || level === undefined) continue;
    const dbm = Number(level);
    return {
      // Old drivers give a bare number from 0 on instead of dBm: that is no measurement.
      signalDbm: dbm < 0 && dbm > -200 ? dbm : null,
      qualityPercent: Math.min(100, Math.max(0, (Number(quality) / 70) * 100)),
    };
  }
  return null;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Whether this card of `/sys/class/net` is a radio. Newer drivers have no `wireless` any more. */
export const isRadio = async (netDir: string, card: string): Promise<boolean> =>
  (await exists(`${netDir}/${card}/phy80211`)) || exists(`${netDir}/${card}/wireless`);

export async function hasRadio(netDir: string): Promise<boolean> {
  const cards = await readdir(netDir).catch(() => []);
  return (await Promise.all(cards.map((card) => isRadio(netDir, card)))).includes(true);
}

/** The hottest thermal zone in °C; null when the box has none. */
export async function thermalZones(folder = '/sys/class/thermal'): Promise<number | null> {
  const zones = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('thermal_zone'));
  const readings = await Promise.all(
    zones.map((zone) => readFile(`${folder}/${zone}/temp`, 'utf8').then(Number, () => Number.NaN)),
  );
  const celsius = readings
    .map((milli) => milli / 1_000)
    .filter((value) => value > -50 && value < 200 && value !== 0);
  return celsius.length > 0 ? Math.max(...celsius) : null;
}
