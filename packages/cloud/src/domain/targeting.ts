/** What a schedule or deployment applies to. */
export type Target =
  { type: 'device'; id: string } | { type: 'store'; id: string } | { type: 'tag'; value: string };

/** The properties of a device that targets match. */
export interface DeviceMembership {
  id: string;
  storeId: string | null;
  tags: readonly string[];
}

export function targetKey(target: Target): string {
  return target.type === 'tag' ? `tag:${target.value}` : `${target.type}:${target.id}`;
}

/** Keys of all targets that match the device. */
export function targetKeysOf(device: DeviceMembership): string[] {
  return [
    `device:${device.id}`,
    ...(device.storeId === null ? [] : [`store:${device.storeId}`]),
    ...device.tags.map((tag) => `tag:${tag}`),
  ];
}

/** Returns a function that tells whether any of the targets matches a device. */
export function createTargetMatcher(targets: readonly Target[]): (device: DeviceMembership) => boolean {
  const wantedKeys = new Set(targets.map(targetKey));
  return (device) => targetKeysOf(device).some((key) => wantedKeys.has(key));
}
