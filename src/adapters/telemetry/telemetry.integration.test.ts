import { mkdirSync, writeFileSync } from 'node:fs';
import { networkInterfaces, platform } from 'node:os';
import { join } from 'node:path';
import { heartbeatSample } from '@placard/protocol';
import { describe, expect, test } from 'vitest';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { createSample } from '../../core/health/samples.ts';
import { memoryPercentOf, readHottestZoneCelsius, wifiOf } from './linux.ts';
import { probe } from './probe.ts';
import { createTelemetry } from './telemetry.ts';

const WIRELESS = (
  line: string,
) => `Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
${line}`;

describe('Wi-Fi', () => {
  test('reports a level in dBm as measured', () => {
    expect(
      wifiOf(WIRELESS(' wlan0: 0000   49.  -61.  -256        0      0      0      0      0        0')),
    ).toEqual({
      signalDbm: -61,
      qualityPercent: 70,
    });
  });

  test('does not report a level that is not dBm', () => {
    expect(
      wifiOf(WIRELESS(' wlan0: 0000   70.  199.  0        0      0      0      0      0        0')),
    ).toEqual({
      signalDbm: null,
      qualityPercent: 100,
    });
  });

  test('reports nothing without a radio', () => {
    expect(wifiOf(WIRELESS(''))).toBe(null);
    expect(wifiOf('')).toBe(null);
  });
});

describe('memory', () => {
  test('is the share that is not available', () => {
    expect(memoryPercentOf('MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable:   750 kB\n')).toBe(25);
  });

  test('is unknown when the system does not report it', () => {
    expect(memoryPercentOf('MemTotal: 1000 kB\n')).toBe(null);
  });
});

describe('temperature', () => {
  test('is that of the hottest zone, without sensors that read nonsense', async () => {
    const dir = tempDir();
    for (const [zone, text] of [
      ['thermal_zone0', '41500\n'],
      ['thermal_zone1', '48250\n'],
      ['thermal_zone2', '-274000\n'],
      ['thermal_zone3', '0\n'],
    ] as const) {
      mkdirSync(join(dir, zone));
      writeFileSync(join(dir, zone, 'temp'), text);
    }
    expect(await readHottestZoneCelsius(dir)).toBe(48.25);
  });

  test('is unknown on a device without sensors', async () => {
    expect(await readHottestZoneCelsius(tempDir())).toBe(null);
    expect(await readHottestZoneCelsius('/no/such/folder')).toBe(null);
  });
});

describe('a probe', () => {
  test('that fails is a missing sensor, logged once', async () => {
    const log = createRecordingLog();
    const read = probe<number | null>({
      name: 'x',
      timeoutMs: 1_000,
      missing: null,
      read: () => Promise.reject(new Error('no such device')),
      log,
    });
    expect(await read()).toBe(null);
    expect(await read()).toBe(null);
    expect(log.events).toHaveLength(1);
  });

  test('that hangs is a missing sensor, and is not started again meanwhile', async () => {
    const readings: PromiseWithResolvers<number>[] = [];
    const read = probe<number | null>({
      name: 'x',
      timeoutMs: 5,
      missing: null,
      read() {
        const reading = Promise.withResolvers<number>();
        readings.push(reading);
        return reading.promise;
      },
      log: createRecordingLog(),
    });
    expect(await read()).toBe(null);
    expect(await read()).toBe(null);
    expect(readings).toHaveLength(1);
    readings[0]?.resolve(1);
    await new Promise((resolve) => setImmediate(resolve));
    const second = read();
    readings[1]?.resolve(2);
    expect(await second).toBe(2);
  });
});

test('a sample of this machine passes the wire schema', async () => {
  const telemetry = createTelemetry({ dataDir: tempDir(), log: createRecordingLog() });
  const sample = createSample(await telemetry.sample(), Date.UTC(2026, 10, 20));
  expect(heartbeatSample.parse(sample)).toEqual(sample);
  expect(sample.memory_percent).toBeGreaterThan(0);
  expect(sample.disk_percent).toBeGreaterThan(0);
  const hardware = await telemetry.hardware();
  expect(hardware.memory_total).toBeGreaterThan(0);
  expect(hardware.cpu?.cores).toBeGreaterThan(0);
});

/** A folder like `/sys/class/net` with these interfaces and the entries of each. */
function netFolder(cards: Record<string, string[]>): string {
  const dir = tempDir();
  for (const [card, has] of Object.entries(cards)) {
    mkdirSync(join(dir, card));
    for (const one of has) {
      mkdirSync(join(dir, card, one));
    }
  }
  return dir;
}

/** How often a device with these interfaces is queried for its Wi-Fi. */
async function countWifiQueries(cards: Record<string, string[]>): Promise<number> {
  let asked = 0;
  const telemetry = createTelemetry({
    dataDir: tempDir(),
    log: createRecordingLog(),
    netDir: netFolder(cards),
    radios: async () => {
      asked += 1;
      return [];
    },
  });
  await telemetry.interfaces();
  return asked;
}

describe.skipIf(platform() !== 'linux')('a device', () => {
  test('without a radio is not queried for Wi-Fi, which would block the process', async () => {
    expect(await countWifiQueries({ eth0: ['device'], lo: [] })).toBe(0);
    expect(await countWifiQueries({})).toBe(0);
  });

  test.each(['wireless', 'phy80211'])('with a radio, recognized by %s, is queried', async (mark) => {
    expect(await countWifiQueries({ eth0: ['device'], wlan0: ['device', mark] })).toBe(1);
  });
});

test('a radio that does not answer hides no network interface', async () => {
  const telemetry = createTelemetry({
    dataDir: tempDir(),
    log: createRecordingLog(),
    timeoutMs: 20,
    netDir: netFolder({ wlan0: ['wireless'] }),
    radios: () => new Promise(() => {}),
  });
  const outer = Object.entries(networkInterfaces()).flatMap(([name, all]) =>
    all?.some((one) => !one.internal) ? [name] : [],
  );
  const found = await telemetry.interfaces();
  expect(found.map((one) => one.name)).toEqual(outer);
  expect(found.every((one) => one.ssid === null)).toBe(true);
});
