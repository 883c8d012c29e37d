import type { TrackedConnection } from './tracked-connection.ts';

/**
 * Connections with one name, in the order in which they were added; a lone one without a set around it: most devices have
 * one, and a set takes a microsecond and 200 bytes.
 */
export type ConnectionGroup = TrackedConnection | Set<TrackedConnection>;

export const sizeOf = (group: ConnectionGroup): number => (group instanceof Set ? group.size : 1);

export const membersOf = (group: ConnectionGroup): Iterable<TrackedConnection> =>
  group instanceof Set ? group : [group];

/** Groups of connections by name. */
export function createGroups() {
  const groups = new Map<string, ConnectionGroup>();
  return {
    get: (name: string): ConnectionGroup | null => groups.get(name) ?? null,
    all: (): Iterable<ConnectionGroup> => groups.values(),
    /** Returns the group as it is now. */
    add(name: string, connection: TrackedConnection): ConnectionGroup {
      const group = groups.get(name);
      if (group instanceof Set) {
        return group.add(connection);
      }
      const changed = group === undefined ? connection : new Set([group, connection]);
      groups.set(name, changed);
      return changed;
    },
    remove(name: string, connection: TrackedConnection): void {
      const group = groups.get(name);
      if (group === connection) {
        groups.delete(name);
      } else if (group instanceof Set) {
        group.delete(connection);
        if (group.size === 0) {
          groups.delete(name);
        }
      }
    },
  };
}
