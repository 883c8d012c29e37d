import { Fault } from '@placard/protocol';
import type { Store } from '../../src/core/ports.ts';
import { createMemoryStore } from './memory-store.ts';

/** A store on a disk that takes none of these writes while it is `full`; `kept` is what is on the disk. */
export function createTightStore(...writes: (keyof Store)[]) {
  const kept = createMemoryStore();
  const disk = { full: false };
  const store = new Proxy(kept, {
    get(_, name): unknown {
      if (!disk.full || !writes.some((write) => write === name)) return Reflect.get(kept, name);
      return () => {
        throw new Fault('disk.full', 'later', { file: 'player.sqlite' });
      };
    },
  });
  return { store, kept, disk };
}
