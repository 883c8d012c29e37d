/** Which devices something is meant for. */
export type Target =
  { type: 'device'; id: string } | { type: 'store'; id: string } | { type: 'tag'; value: string };

/** What decides which targets reach a device. */
export interface Membership {
  id: string;
  storeId: string | null;
  tags: readonly string[];
}

export function targetKey(target: Target): string {
  return target.type === 'tag' ? `tag:${target.value}` : `${target.type}:${target.id}`;
}

/** The keys of every target that reaches the device. */
export function targetKeys(member: Membership): string[] {
  return [
    `device:${member.id}`,
    ...(member.storeId === null ? [] : [`store:${member.storeId}`]),
    ...member.tags.map((tag) => `tag:${tag}`),
  ];
}

/** Whether one of the targets reaches a device; to be asked of many devices. */
export function reachOf(targets: readonly Target[]): (member: Membership) => boolean {
  const keys = new Set(targets.map(targetKey));
  return (member) => targetKeys(member).some((key) => keys.has(key));
}
