import type { CloudDatabase } from '../database/cloud-database.ts';
import { ignoreStorageFailure } from '../domain/storage-failure.ts';
import type { Actor } from './operation-route.ts';

/** Last use of API keys and sessions: kept in memory and flushed at intervals, so that read requests do not write. */
export function createKeyUsage({ database }: { database: Pick<CloudDatabase, 'transaction'> }) {
  let pendingKeys = new Map<string, number>();
  let pendingSessions = new Map<string, number>();
  return {
    record({ id, session }: Pick<Actor, 'id' | 'session'>, atMs: number): void {
      if (session) {
        pendingSessions.set(session.id, atMs);
      } else {
        pendingKeys.set(id, atMs);
      }
    },
    /** The last use of a key or session that is not written yet; null when there is none. */
    lastUsedMs: (id: string): number | null => pendingKeys.get(id) ?? pendingSessions.get(id) ?? null,
    /** Writes pending entries. Entries that the disk does not accept stay in memory. */
    flush: async (): Promise<void> => {
      const [keys, sessions] = [pendingKeys, pendingSessions];
      if (keys.size + sessions.size === 0) {
        return;
      }
      pendingKeys = new Map();
      pendingSessions = new Map();
      try {
        await database.transaction(async (tx) => {
          for (const [id, atMs] of keys) {
            await tx.apiKeys.setLastUsed(id, atMs);
          }
          for (const [id, atMs] of sessions) {
            await tx.sessions.setLastUsed(id, atMs);
          }
        });
      } catch (error) {
        pendingKeys = new Map([...keys, ...pendingKeys]);
        pendingSessions = new Map([...sessions, ...pendingSessions]);
        ignoreStorageFailure(error);
      }
    },
  };
}

export type KeyUsage = ReturnType<typeof createKeyUsage>;
