import type { DeviceMembership, Target } from './types.ts';

/** A target as one text, for indexes; equal targets have equal keys. */
export function targetKey(target: Target): string {
  if (target.type === 'all') {
    return target.type;
  }
  return target.type === 'tag' ? `tag:${target.value}` : `${target.type}:${target.id}`;
}

/** The target of a key. */
export function targetOfKey(key: string): Target {
  const [type, value] = [key.split(':', 1)[0], key.slice(key.indexOf(':') + 1)];
  switch (type) {
    case 'tag':
      return { type, value };
    case 'device':
    case 'store':
      return { type, id: value };
    case undefined:
    default:
      return { type: 'all' };
  }
}

/** Keys of all targets that match the device. */
export function targetKeysOf(device: DeviceMembership): string[] {
  return [
    `device:${device.id}`,
    ...(device.store_id === null ? [] : [`store:${device.store_id}`]),
    ...device.tags.map((tag) => `tag:${tag}`),
    'all',
  ];
}

/** Returns a function that tells whether any of the targets matches a device. */
export function createTargetMatcher(targets: readonly Target[]): (device: DeviceMembership) => boolean {
  const wantedKeys = new Set(targets.map(targetKey));
  return (device) => targetKeysOf(device).some((key) => wantedKeys.has(key));
}
