import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { BlobStore } from '../blob/blob-store.ts';
import type { OwnerFile } from '../blob/owner-file.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { Row } from '../database/schema.ts';
import { compareOwners, describeConflict, isConflict } from '../domain/media-owner.ts';
import type { MediaOwner, OwnerConflict } from '../domain/media-owner.ts';
import { StartupError } from '../domain/startup-error.ts';
import { ignoreStorageFailure } from '../domain/storage-failure.ts';
import { isBlobUsed } from './is-blob-used.ts';

/** Of a store without an id that has more files, the database must know one of so many. */
const MAX_UNKNOWN = 1000;
/** By so much the clocks of a media store and of the cloud may differ. */
const MAX_CLOCK_DIFFERENCE_MS = 10 * 60_000;

export interface MediaOwnershipDeps {
  database: CloudDatabase;
  blobs: Pick<BlobStore, 'list'>;
  ownerFile: OwnerFile;
  /** The database, for messages. */
  place: string;
  /** Whether the media store can be named without its database, so that it may be that of another. */
  isSeparate: boolean;
  log: Pick<Logger, 'error'>;
}

export interface MediaOwnership {
  /** Throws a `StartupError` if the media files may belong to another database. There need be no organization yet. */
  check(): Promise<void>;
  /** Checks it, and gives both the same id if they have none yet. Several nodes may do this at once. */
  requireOwn(): Promise<void>;
  /**
   * Checks it again and begins the next turn; false if no file may be deleted, with an error in the log unless a newer version has
   * migrated the database: what only newer nodes know is used as well.
   */
  mayDelete(): Promise<boolean>;
}

/** Ties a media store to one database: `docs/adr/0051-whose-media.md`. */
export function createMediaOwnership(deps: MediaOwnershipDeps): MediaOwnership {
  const { database, ownerFile, place, log } = deps;

  const refuse = (conflict: OwnerConflict, stored: MediaOwner | null, isEmpty: boolean): never => {
    throw new StartupError(
      describeConflict(conflict, { database: place, location: ownerFile.location, stored, isEmpty }),
    );
  };

  const read = async () => {
    // The database is always ahead. So what is missing in the store is judged by the database before, and what is there by
    // the database after: another node may write both meanwhile.
    const before = await database.organization.find();
    const stored = await ownerFile.read();
    const row = stored ? await database.organization.find() : before;
    const ownership = compareOwners({ id: row?.media_id ?? null, turn: row?.media_turn ?? 0 }, stored);
    return { row, stored, ownership };
  };

  /** Files that are newer than the organization are its own, even if they only wait to be deleted. */
  const requireKnownFiles = async (row: Row<'organization'> | undefined): Promise<void> => {
    const ownSinceMs = row ? row.created_at - MAX_CLOCK_DIFFERENCE_MS : Infinity;
    let unknown = 0;
    for await (const { sha256, modifiedMs } of deps.isSeparate ? deps.blobs.list() : []) {
      if (modifiedMs >= ownSinceMs) {
        continue;
      }
      if (await isBlobUsed(database, sha256)) {
        return;
      }
      unknown += 1;
      if (unknown === MAX_UNKNOWN) {
        break;
      }
    }
    if (unknown > 0) {
      refuse('unknown', null, !row);
    }
  };

  const nextTurn = (id: string) =>
    database.transaction((tx) => tx.organization.nextMediaTurn(id), { freesSpace: true });

  /** Gives both the same id, first the database: nodes that start at once agree there. */
  const claim = async ({ name }: Row<'organization'>): Promise<void> => {
    const id = await database.transaction(
      async (tx) => {
        const { media_id: current } = await tx.organization.get();
        const chosen = current ?? randomUUID();
        if (current === null) {
          await tx.organization.setMediaId(chosen);
        }
        return chosen;
      },
      { freesSpace: true },
    );
    await ownerFile.write({ id, turn: 0, organization: name });
    await nextTurn(id);
  };

  const check = async () => {
    const { row, stored, ownership } = await read();
    if (isConflict(ownership)) {
      return refuse(ownership, stored, !row);
    }
    if (ownership === 'new') {
      await requireKnownFiles(row);
    }
    return { row, ownership };
  };

  const requireOwn = async (): Promise<Row<'organization'> | undefined> => {
    const { row, ownership } = await check();
    if (row && ownership !== 'own') {
      // On a full disk later.
      await claim(row).catch(ignoreStorageFailure);
    }
    return row;
  };

  const beginTurn = async ({ name, media_id: id }: Row<'organization'>): Promise<void> => {
    const turn = id === null ? undefined : await nextTurn(id);
    if (id !== null && turn !== undefined) {
      await ownerFile.write({ id, turn, organization: name });
    }
  };

  return {
    check: async () => void (await check()),
    requireOwn: async () => void (await requireOwn()),
    async mayDelete() {
      try {
        if (await database.isNewer()) {
          return false;
        }
        const row = await requireOwn();
        if (row) {
          // On a full disk files are deleted without it.
          await beginTurn(row).catch(ignoreStorageFailure);
        }
        return true;
      } catch (error) {
        if (!(error instanceof StartupError)) {
          throw error;
        }
        log.error({ location: ownerFile.location, message: error.message }, 'media_store.refused');
        return false;
      }
    },
  };
}
