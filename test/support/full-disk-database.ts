import { Fault } from '@placard/protocol';
import type { PlayerDatabase } from '../../src/core/ports.ts';
import { createMemoryDatabase } from './memory-database.ts';

/** A database that fails these writes with `disk.full` while `full` is set; `stored` is the underlying database. */
export function createFullDiskDatabase(...writes: (keyof PlayerDatabase)[]) {
  const stored = createMemoryDatabase();
  const disk = { full: false };
  const database = new Proxy(stored, {
    get(_, name): unknown {
      if (!disk.full || !writes.some((write) => write === name)) {
        return Reflect.get(stored, name);
      }
      return () => {
        throw new Fault('disk.full', 'later', { file: 'player.sqlite' });
      };
    },
  });
  return { database, stored, disk };
}
