import type { Store } from '../store/store.ts';
import { storageTroubleOf } from '../domain/storage-trouble.ts';

/** When keys were last used: kept in memory and written now and then, so that reading needs no write. */
export interface LastUsed {
  note(keyId: string, atMs: number): void;
  /** What is not written yet; null when there is nothing. */
  of(keyId: string): number | null;
  /** Writes what was noted. What the disk does not take stays noted. */
  write: () => Promise<void>;
}

export function createLastUsed({ store }: { store: Pick<Store, 'transaction'> }): LastUsed {
  let noted = new Map<string, number>();
  return {
    note: (keyId, atMs) => void noted.set(keyId, atMs),
    of: (keyId) => noted.get(keyId) ?? null,
    async write() {
      if (noted.size === 0) return;
      const writing = noted;
      noted = new Map();
      try {
        await store.transaction(async (work) => {
          for (const [keyId, atMs] of writing) await work.apiKeys.touch(keyId, atMs);
        });
      } catch (error) {
        noted = new Map([...writing, ...noted]);
        if (storageTroubleOf(error) === null) throw error;
      }
    },
  };
}
