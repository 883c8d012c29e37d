import type { DisplaySettings } from '@placard/protocol';
import { setMostRecent } from '../domain/lru-map.ts';
import type { DeviceClass, SharedPart } from '../domain/device-classes.ts';
import type { ClassifiedDevice, ManifestDevice } from '../domain/manifest-builder.ts';

/** As many as an organization may have. A device with its revision takes 290 bytes: 29 MB for all. */
const MAX_DEVICES = 100_000;

/** Equal values that are kept as one; a device may report other decoders with each request. */
const MAX_SHARED = 5_000;

/** A read of devices that has not ended. */
export interface DeviceRead {
  /** Keeps the devices, except those that may have changed since the read began. */
  finish(devices: readonly ManifestDevice[], classOf: (device: ManifestDevice) => DeviceClass): void;
}

/** A device in memory. The zone of its store may have changed since it was classified. */
export interface KeptDevice extends ClassifiedDevice {
  readonly storeId: string | null;
  /** Its revision when it was last asked for, and the identity of the part that it was derived from. */
  derived: { revision: string; part: SharedPart['identity'] } | null;
}

/** The devices whose revisions were asked for, with their classes, so that an edit does not read them again. */
export function createManifestDevices() {
  const devices = new Map<string, KeptDevice>();
  /** Equal settings are one object; equal ids and decoders one text. */
  const displays = new Map<string, DisplaySettings>();
  const texts = new Map<string, string>();
  const reads = new Set<Set<string>>();

  const displayOf = (display: DisplaySettings): DisplaySettings => {
    const key = Object.values(display).join(' ');
    const shared = displays.get(key) ?? display;
    setMostRecent(displays, key, shared, MAX_SHARED);
    return shared;
  };

  const textOf = (text: string): string => {
    const shared = texts.get(text) ?? text;
    setMostRecent(texts, shared, shared, MAX_SHARED);
    return shared;
  };

  return {
    get: (id: string): KeptDevice | undefined => devices.get(id),
    /** The device in another class. */
    reclassify(device: KeptDevice, deviceClass: DeviceClass): KeptDevice {
      const changed = { ...device, deviceClass, derived: null };
      devices.set(device.id, changed);
      return changed;
    },
    /** Call before reading. */
    beginRead(): DeviceRead {
      const changed = new Set<string>();
      reads.add(changed);
      return {
        finish(found, classOf) {
          // Not there when everything was forgotten meanwhile.
          const isValid = reads.delete(changed);
          for (const device of found.filter(({ id }) => isValid && !changed.has(id))) {
            const { id, name, orientation, menu_pin_hash } = device;
            const display = displayOf(device.display);
            const deviceClass = classOf(device);
            const storeId = device.store_id === null ? null : textOf(device.store_id);
            const kept = {
              id,
              name,
              orientation,
              display,
              menu_pin_hash,
              screenshots_allowed: device.screenshots_allowed,
              screenshot_interval_minutes: device.screenshot_interval_minutes,
              decoders: device.decoders === null ? null : textOf(device.decoders),
              deviceClass,
              storeId,
              derived: null,
            };
            setMostRecent(devices, id, kept, MAX_DEVICES);
          }
        },
      };
    },
    /** The device has changed. */
    forget(id: string): void {
      devices.delete(id);
      for (const changed of reads) {
        changed.add(id);
      }
    },
    /** All devices may have changed, or what determines their classes. */
    forgetAll(): void {
      devices.clear();
      displays.clear();
      texts.clear();
      reads.clear();
    },
  };
}
