/** Whose files a media store has. It is stored there, and must fit what the database says. */
export interface MediaOwner {
  id: string;
  /**
   * Counted up each time unused files are deleted, first in the database: a database that is behind the store was put back
   * to an earlier state, or copied, and does not know which files are used.
   */
  turn: number;
  /** Name of the organization, for messages. */
  organization: string;
}

/** What a database says; the id is null before it has used a media store, the turn 0 until the store has the id. */
export interface DatabaseOwner {
  id: string | null;
  turn: number;
}

/** Why a database may not delete files of a media store. */
export type OwnerConflict = 'other' | 'behind' | 'missing' | 'unknown';

/** `new`: neither has an id; `unwritten`: the store does not have that of the database yet. */
export type Ownership = 'own' | 'new' | 'unwritten' | Exclude<OwnerConflict, 'unknown'>;

/** Compares what a database and a media store say; null: the store says nothing. */
export function compareOwners(database: DatabaseOwner, stored: MediaOwner | null): Ownership {
  if (!stored) {
    if (database.id === null) {
      return 'new';
    }
    return database.turn === 0 ? 'unwritten' : 'missing';
  }
  if (stored.id !== database.id) {
    return 'other';
  }
  return stored.turn > database.turn ? 'behind' : 'own';
}

export const isConflict = (ownership: Ownership): ownership is Exclude<OwnerConflict, 'unknown'> =>
  ['other', 'behind', 'missing'].includes(ownership);

/** A database without an organization has nothing with which it could take files over. */
const EMPTY_IT = 'delete all of them, also the file "cloud", or name another place';

/** What belongs to what, and what to do. */
export function describeConflict(
  conflict: OwnerConflict,
  {
    database,
    location,
    stored,
    isEmpty = false,
  }: {
    database: string;
    location: string;
    stored: MediaOwner | null;
    /** Nobody has used the database yet. */
    isEmpty?: boolean;
  },
): string {
  const takeMedia = 'run the command take-media with the same options, then start again';
  switch (conflict) {
    case 'other':
      return (
        `The media files in ${location} belong to ${JSON.stringify(stored?.organization ?? '')} in another database than ${database}, ` +
        'which would delete them. Correct --database, --data or --blobs. If no other cloud uses these files any more, ' +
        `${isEmpty ? EMPTY_IT : takeMedia}.`
      );
    case 'behind':
      return (
        `The database ${database} is older than the media files in ${location}: it is an earlier state, or a copy, of the one ` +
        'that uses them, and would delete newer files. For a copy name another place with --blobs or --data. If the ' +
        `database was put back for good, ${takeMedia}.`
      );
    case 'missing':
      return (
        `The media files of the database ${database} are not in ${location}. Correct --blobs or --data; all nodes that share a ` +
        `database need the same --blobs. If the files were copied there without its file "cloud", or are lost, ${takeMedia}.`
      );
    case 'unknown':
    default:
      return (
        `The database ${database} knows none of the media files in ${location} and would delete them. Correct --database, ` +
        `--data or --blobs. If nobody needs these files, ${isEmpty ? EMPTY_IT : takeMedia}.`
      );
  }
}
