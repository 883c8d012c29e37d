import { DEFAULT_DISPLAY } from '@placard/protocol';
import { expect, test } from 'vitest';
import { createDeviceClasses } from '../domain/device-classes.ts';
import type { ManifestDevice } from '../domain/manifest-builder.ts';
import { createManifestDevices } from './manifest-devices.ts';

const device = (id: string): ManifestDevice => ({
  id,
  name: id,
  orientation: 'landscape',
  display: DEFAULT_DISPLAY,
  menu_pin_hash: null,
  screenshots_allowed: true,
  screenshot_interval_minutes: null,
  decoders: null,
  store_id: null,
  tags: [],
});

test('a device that may have changed while it was read is not kept', () => {
  const classes = createDeviceClasses();
  const devices = createManifestDevices();
  const classOf = () => classes.of([], null);
  const kept = (ids: string[]) => ids.filter((id) => devices.get(id));
  const read = devices.beginRead();
  devices.forget('dev_1');
  read.finish([device('dev_1'), device('dev_2')], classOf);
  expect(kept(['dev_1', 'dev_2'])).toEqual(['dev_2']);
  const other = devices.beginRead();
  devices.forgetAll();
  other.finish([device('dev_1')], classOf);
  expect(kept(['dev_1', 'dev_2'])).toEqual([]);
  devices.beginRead().finish([device('dev_1')], classOf);
  expect(kept(['dev_1'])).toEqual(['dev_1']);
});

test('equal settings are one object, until thousands of others were seen since', () => {
  const classes = createDeviceClasses();
  const devices = createManifestDevices();
  const read = (id: string, volume: number) => {
    const changed = { ...device(id), display: { ...DEFAULT_DISPLAY, volume } };
    devices.beginRead().finish([changed], () => classes.of([], null));
    return devices.get(id)?.display;
  };
  const first = read('dev_1', 0);
  expect(read('dev_2', 0)).toBe(first);
  for (let volume = 1; volume < 5_000; volume++) {
    read('dev_3', volume);
  }
  expect(read('dev_2', 0)).toBe(first);
  for (let volume = 1; volume <= 5_000; volume++) {
    read('dev_3', volume);
  }
  expect(read('dev_2', 0)).not.toBe(first);
});
