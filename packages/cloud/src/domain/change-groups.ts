import { MAX_DRY_RUN_GROUPS, MAX_LISTED_CHANGES, MAX_LISTED_DEVICES } from '@placard/protocol/api';
import type { TimelineSegment } from '@placard/schedule';
import type { ShownChange } from './shown-changes.ts';

interface NamedDevice {
  id: string;
  name: string;
}

/** What would change on each device of a class. */
export interface ClassChanges {
  /** The first ones. */
  listed: ShownChange[];
  count: number;
  kinds: Set<ShownChange['kind']>;
}

/** Devices with the same changes. */
export interface ChangeGroup {
  deviceCount: number;
  /** The first ones by id. */
  devices: readonly NamedDevice[];
  changeCount: number;
  changes: readonly ShownChange[];
}

export const emptyChanges = (): ClassChanges => ({ listed: [], count: 0, kinds: new Set() });

export function addChange(changes: ClassChanges, change: ShownChange): void {
  changes.count += 1;
  changes.kinds.add(change.kind);
  if (changes.listed.length < MAX_LISTED_CHANGES) {
    changes.listed.push(change);
  }
}

/** Collects the changes of classes; classes with the same listed changes become one group. */
export function createChangeGroups() {
  const groups = new Map<string, { devices: NamedDevice[]; deviceCount: number; changes: ClassChanges }>();
  const counts = { devices: 0, playlist_changes: 0, content_changes: 0 };
  return {
    /** `devices`: all devices of the class. */
    add(devices: readonly NamedDevice[], changes: ClassChanges): void {
      if (changes.count === 0) {
        return;
      }
      counts.devices += devices.length;
      for (const kind of changes.kinds) {
        counts[kind] += devices.length;
      }
      const key = keyOf(changes);
      const group = groups.get(key) ?? { devices: [], deviceCount: 0, changes };
      group.deviceCount += devices.length;
      group.devices = firstById([...group.devices, ...firstById(devices)]);
      groups.set(key, group);
    },
    /** The number of devices by what changes, and the groups whose first change comes first. */
    summary() {
      const sorted = [...groups.values()].toSorted(
        (a, b) => startOf(a.changes) - startOf(b.changes) || b.deviceCount - a.deviceCount,
      );
      return {
        counts: { ...counts },
        firstChangeMs: sorted[0] ? startOf(sorted[0].changes) : null,
        groupCount: sorted.length,
        groups: sorted.slice(0, MAX_DRY_RUN_GROUPS).map(({ devices, deviceCount, changes }): ChangeGroup => ({
          deviceCount,
          devices,
          changeCount: changes.count,
          changes: changes.listed,
        })),
      };
    },
  };
}

const startOf = ({ listed }: ClassChanges): number => listed[0]?.fromMs ?? Infinity;

const firstById = (devices: readonly NamedDevice[]): NamedDevice[] =>
  devices.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, MAX_LISTED_DEVICES);

/** Equal for equal changes. */
const keyOf = ({ count, listed }: ClassChanges): string =>
  JSON.stringify([
    count,
    listed.map(({ fromMs, untilMs, kind, before, after }) => [
      fromMs,
      untilMs,
      kind,
      idsOf(before),
      idsOf(after),
    ]),
  ]);

const idsOf = ({ source, schedule, rule, playlist_id }: TimelineSegment) => [
  source,
  schedule?.id,
  rule?.id,
  playlist_id,
];
