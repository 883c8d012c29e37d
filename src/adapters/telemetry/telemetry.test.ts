import { mkdirSync, writeFileSync } from 'node:fs';
import { networkInterfaces, platform } from 'node:os';
import { join } from 'node:path';
import { heartbeatSample } from '@placard/protocol';
import { describe, expect, test } from 'vitest';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { sampleOf } from '../../core/health/samples.ts';
import { memoryPercentOf, thermalZones, wifiOf } from './linux.ts';
import { probe } from './probe.ts';
import { createTelemetry } from './telemetry.ts';

const WIRELESS = (
  line: string,
) => `Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
${line}`;

describe('Wi-Fi', () => {
  test('a level in dBm is passed on as measured', () => {
    expect(
      wifiOf(WIRELESS(' wlan0: 0000   49.  -61.  -256        0      0      0      0      0        0')),
    ).toEqual({
      signalDbm: -61,
      qualityPercent: 70,
    });
  });

  test('a level that is no dBm is not taken for one', () => {
    expect(
      wifiOf(WIRELESS(' wlan0: 0000   70.  199.  0        0      0      0      0      0        0')),
    ).toEqual({
      signalDbm: null,
      qualityPercent: 100,
    });
  });

  test('no radio is none', () => {
    expect(wifiOf(WIRELESS(''))).toBe(null);
    expect(wifiOf('')).toBe(null);
  });
});

describe('memory', () => {
  test('counts what is not available', () => {
    expect(memoryPercentOf('MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable:   750 kB\n')).toBe(25);
  });

  test('is unknown when the system does not say', () => {
    expect(memoryPercentOf('MemTotal: 1000 kB\n')).toBe(null);
  });
});

describe('temperature', () => {
  test('is that of the hottest zone, leaving out sensors that read nonsense', async () => {
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
    expect(await thermalZones(dir)).toBe(48.25);
  });

  test('is unknown on a box without sensors', async () => {
    expect(await thermalZones(tempDir())).toBe(null);
    expect(await thermalZones('/no/such/folder')).toBe(null);
  });
});

describe('a probe', () => {
  test('that fails is a missing sensor, told once', async () => {
    const log = createQuietLog();
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

  test('that hangs is a missing sensor, and is not begun again meanwhile', async () => {
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
      log: createQuietLog(),
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

test('this very box reads as a sample that the wire takes', async () => {
  const telemetry = createTelemetry({ dataDir: tempDir(), log: createQuietLog() });
  const sample = sampleOf(await telemetry.sample(), Date.UTC(2026, 10, 20));
  expect(heartbeatSample.parse(sample)).toEqual(sample);
  expect(sample.memory_percent).toBeGreaterThan(0);
  expect(sample.disk_percent).toBeGreaterThan(0);
  const hardware = await telemetry.hardware();
  expect(hardware.memory_total).toBeGreaterThan(0);
  expect(hardware.cpu?.cores).toBeGreaterThan(0);
});

/** A folder as `/sys/class/net` is, with these cards and what each of them has. */
function netFolder(cards: Record<string, string[]>): string {
  const dir = tempDir();
  for (const [card, has] of Object.entries(cards)) {
    mkdirSync(join(dir, card));
    for (const one of has) mkdirSync(join(dir, card, one));
  }
  return dir;
}

/** How often a box with these cards is asked for its Wi-Fi. */
async function ask(cards: Record<string, string[]>): Promise<number> {
  let asked = 0;
  const telemetry = createTelemetry({
    dataDir: tempDir(),
    log: createQuietLog(),
    netDir: netFolder(cards),
    radios: async () => {
      asked += 1;
      return [];
    },
  });
  await telemetry.interfaces();
  return asked;
}

describe.skipIf(platform() !== 'linux')('a box', () => {
  test('without a radio is not asked for its Wi-Fi, which would stop the whole process for the time', async () => {
    expect(await ask({ eth0: ['device'], lo: [] })).toBe(0);
    expect(await ask({})).toBe(0);
  });

  test.each(['wireless', 'phy80211'])('with a radio, by its %s, is asked', async (mark) => {
    expect(await ask({ eth0: ['device'], wlan0: ['device', mark] })).toBe(1);
  });
});

test('a radio that does not answer takes no network card away', async () => {
  const telemetry = createTelemetry({
    dataDir: tempDir(),
    log: createQuietLog(),
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
