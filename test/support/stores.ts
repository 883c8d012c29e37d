import type { Store } from '../../src/core/ports.ts';
import { createMemoryStore } from './memory-store.ts';
import { openStore } from './open-store.ts';
import { tempDir } from './temp-dir.ts';

/** A store, and the same store after a restart of the player. */
interface Subject {
  store: Store;
  readonly reopen: () => Store;
}

function sqlite(): Subject {
  const dir = tempDir();
  let store = openStore(dir);
  return {
    store,
    reopen() {
      store.close();
      store = openStore(dir);
      return store;
    },
  };
}

function memory(): Subject {
  const store = createMemoryStore();
  return { store, reopen: () => store };
}

/** Every store there is, by its name. */
export const STORES = [
  ['SQLite', sqlite],
  ['memory', memory],
] as const;
