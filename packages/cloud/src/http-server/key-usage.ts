import type { CloudDatabase } from '../database/cloud-database.ts';
import { ignoreStorageFailure } from '../domain/storage-failure.ts';

/** Last use of API keys: kept in memory and flushed at intervals, so that read requests do not write. */
export function createKeyUsage({ database }: { database: Pick<CloudDatabase, 'transaction'> }) {
  let pending = new Map<string, number>();
  return {
    record: (keyId: string, atMs: number) => void pending.set(keyId, atMs),
    /** The last use that is not written yet; null when there is none. */
    lastUsedMs: (keyId: string): number | null => pending.get(keyId) ?? null,
    /** Writes pending entries. Entries that the disk does not accept stay in memory. */
    flush: async (): Promise<void> => {
      if (pending.size === 0) {
        return;
      }
      const writing = pending;
      pending = new Map();
      try {
        await database.transaction(async (tx) => {
          for (const [keyId, atMs] of writing) {
            await tx.apiKeys.setLastUsed(keyId, atMs);
          }
        });
      } catch (error) {
        pending = new Map([...writing, ...pending]);
        ignoreStorageFailure(error);
      }
    },
  };
}

export type KeyUsage = ReturnType<typeof createKeyUsage>;
