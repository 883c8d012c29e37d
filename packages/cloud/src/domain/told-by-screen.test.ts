import { hardware } from '@placard/protocol';
import { expect, test } from 'vitest';
import { deviceNameOf, keptHardware, MOST_HARDWARE_BYTES } from './told-by-screen.ts';

const port = (n: number, more: object = {}) => ({
  name: `eth${n}`,
  kind: 'wired' as const,
  mac: '00:11:22:33:44:55',
  addresses: ['192.0.2.1'],
  ssid: null,
  ...more,
});

test('the hardware of an ordinary box is kept as it is', () => {
  const told = hardware.parse({
    model: 'Box',
    serial: 'S1',
    cpu: { model: 'Some CPU', cores: 4 },
    memory_total: 4e9,
    disk_total: null,
    displays: [{ name: 'HDMI-1', width: 1920, height: 1080 }],
    network_interfaces: [port(0), port(1)],
  });
  expect(keptHardware(told)).toEqual(told);
  expect(keptHardware({})).toEqual({});
});

test('of the largest hardware that can be told, no more than 8 kB are kept, the single values among them', () => {
  const long = '\u{10348}'.repeat(100);
  const told = hardware.parse({
    model: long,
    serial: long,
    cpu: { model: long, cores: 1 },
    displays: Array.from({ length: 32 }, () => ({ name: long, width: 1, height: 1 })),
    network_interfaces: Array.from({ length: 64 }, (_, n) =>
      port(n, { addresses: Array.from({ length: 32 }, () => 'x'.repeat(100)) }),
    ),
  });
  const kept = keptHardware(told);
  expect(new TextEncoder().encode(JSON.stringify(kept)).length).toBeLessThanOrEqual(MOST_HARDWARE_BYTES);
  expect(kept).toMatchObject({ model: long, serial: long, cpu: told.cpu });
  expect(kept.displays?.length).toBeGreaterThan(0);
});

test('a device is named after what its screen told, as far as that is a name', () => {
  const told = { serial: 'SN-1', model: ' Box 3 ' };
  expect(deviceNameOf({ ...told, hostname: ' lobby ' }, 'BCD-FGH')).toBe('lobby');
  expect(deviceNameOf({ ...told, hostname: 'x\u001B[31m' }, 'BCD-FGH')).toBe('Box 3');
  expect(deviceNameOf({ ...told, hostname: 'x'.repeat(201) }, 'BCD-FGH')).toBe('Box 3');
  expect(deviceNameOf({ serial: 'SN-1', hostname: '  ', model: '\0' }, 'BCD-FGH')).toBe('SN-1');
  expect(deviceNameOf({ serial: '\n' }, 'BCD-FGH')).toBe('Screen BCD-FGH');
});
