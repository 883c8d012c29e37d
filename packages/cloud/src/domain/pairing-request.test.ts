import { hardware } from '@placard/protocol';
import { expect, test } from 'vitest';
import { defaultDeviceName, truncateHardware, MAX_HARDWARE_BYTES } from './pairing-request.ts';

const port = (n: number, more: object = {}) => ({
  name: `eth${n}`,
  kind: 'wired' as const,
  mac: '00:11:22:33:44:55',
  addresses: ['192.0.2.1'],
  ssid: null,
  ...more,
});

test('the hardware report of an ordinary device is stored unchanged', () => {
  const reported = hardware.parse({
    model: 'Box',
    serial: 'S1',
    cpu: { model: 'Some CPU', cores: 4 },
    memory_total: 4e9,
    disk_total: null,
    displays: [{ name: 'HDMI-1', width: 1920, height: 1080 }],
    network_interfaces: [port(0), port(1)],
  });
  expect(truncateHardware(reported)).toEqual(reported);
  expect(truncateHardware({})).toEqual({});
});

test('the largest possible hardware report is truncated to 8 kB, with the scalar fields kept', () => {
  const long = '\u{10348}'.repeat(100);
  const reported = hardware.parse({
    model: long,
    serial: long,
    cpu: { model: long, cores: 1 },
    displays: Array.from({ length: 32 }, () => ({ name: long, width: 1, height: 1 })),
    network_interfaces: Array.from({ length: 64 }, (_, n) =>
      port(n, { addresses: Array.from({ length: 32 }, () => 'x'.repeat(100)) }),
    ),
  });
  const truncated = truncateHardware(reported);
  expect(new TextEncoder().encode(JSON.stringify(truncated)).length).toBeLessThanOrEqual(MAX_HARDWARE_BYTES);
  expect(truncated).toMatchObject({ model: long, serial: long, cpu: reported.cpu });
  expect(truncated.displays?.length).toBeGreaterThan(0);
});

test('a device gets its default name from the first reported value that is a valid name', () => {
  const reported = { serial: 'SN-1', model: ' Box 3 ' };
  expect(defaultDeviceName({ ...reported, hostname: ' lobby ' }, 'BCD-FGH')).toBe('lobby');
  expect(defaultDeviceName({ ...reported, hostname: 'x\u001B[31m' }, 'BCD-FGH')).toBe('Box 3');
  expect(defaultDeviceName({ ...reported, hostname: 'x'.repeat(201) }, 'BCD-FGH')).toBe('Box 3');
  expect(defaultDeviceName({ serial: 'SN-1', hostname: '  ', model: '\0' }, 'BCD-FGH')).toBe('SN-1');
  expect(defaultDeviceName({ serial: '\n' }, 'BCD-FGH')).toBe('Screen BCD-FGH');
});
