import { setMostRecent } from '../domain/lru-map.ts';
import { requestTurn } from '../event-loop/request-turn.ts';
import { prepareOnce } from './prepare-once.ts';
import type { Row } from './schema.ts';
import { watchOtherCommits, watchRows } from './row-changes.ts';
import { isWriting } from './sqlite-dialect.ts';
import type { SqliteConnections } from './sqlite-dialect.ts';
import { SESSION_CREDENTIALS } from './sessions.ts';
import type { SessionCredential } from './sessions.ts';

export type KeyCredential = Pick<Row<'api_keys'>, 'id' | 'name' | 'scope' | 'expires_at'>;
export type TokenCredential = Pick<Row<'device_tokens'>, 'device_id' | 'first_used_at' | 'revoked_at'>;

/** API keys, device tokens and sessions by the hash of their secret, as of the last commit of any process. */
export interface Credentials {
  findKey: (hash: string) => KeyCredential | undefined | Promise<KeyCredential | undefined>;
  findToken: (hash: string) => TokenCredential | undefined | Promise<TokenCredential | undefined>;
  findSession: (hash: string) => SessionCredential | undefined | Promise<SessionCredential | undefined>;
}

/** Twice the devices that one cloud is made for; 200 bytes each. */
const MAX_CACHED = 200_000;
/** How old may be what is known of tokens, should somebody change them by hand. */
const MAX_TOKEN_AGE_MS = 10;
const TOKEN_CHANGES = [
  ['update on main.device_tokens', 'old.hash'],
  ['delete on main.device_tokens', 'old.hash'],
] as const;

/**
 * Every request presents a key or a token: found in memory it takes 1 µs, from the database 20 µs. Memory is as good as the
 * database, because `data_version` tells whether anybody has committed since, and triggers on both tables count changes
 * in `credential_epoch`. For keys it is asked once in each turn of requests, for up to 20 µs, which are the system calls of
 * SQLite's locks: all requests of a turn had arrived before it began, and whatever arrives after a key was revoked has a
 * later one. Of tokens a temporary trigger tells at once, because only this process revokes them. `reader` must not be in a
 * transaction.
 */
export function createCredentials(connections: SqliteConnections): Credentials {
  const { writer, reader } = connections;
  const readEpoch = reader.prepare<[], number>('select epoch from credential_epoch').pluck();
  const readKey = prepareOnce<[string], KeyCredential>(
    reader,
    'select id, name, scope, expires_at from api_keys where hash = ?',
  );
  const readToken = prepareOnce<[string], TokenCredential>(
    reader,
    'select device_id, first_used_at, revoked_at from device_tokens where hash = ?',
  );
  // Not kept in memory: people are few, and much of them can change.
  const readSession = prepareOnce<[string], SessionCredential>(reader, `${SESSION_CREDENTIALS} = ?`);
  const keys = new Map<string, KeyCredential>();
  const tokens = new Map<string, TokenCredential>();
  let askedMs = -Infinity;
  let askedTurn: number | null = null;
  watchRows(writer, 'token_changed', TOKEN_CHANGES, (hash) => tokens.delete(hash));
  // First, so that nothing is missed that was committed between both.
  const haveOthersCommitted = watchOtherCommits(reader);
  let epoch = readEpoch.get();

  const forgetIfChanged = (): void => {
    askedMs = performance.now();
    if (!haveOthersCommitted()) {
      return;
    }
    const currentEpoch = readEpoch.get();
    if (currentEpoch !== epoch) {
      keys.clear();
      tokens.clear();
    }
    epoch = currentEpoch;
  };

  return {
    findKey(hash) {
      const turn = requestTurn();
      if (turn === null || turn !== askedTurn) {
        forgetIfChanged();
        askedTurn = turn;
      }
      return find(keys, readKey, hash, () => true);
    },
    findToken(hash) {
      if (performance.now() - askedMs > MAX_TOKEN_AGE_MS) {
        forgetIfChanged();
      }
      // Not kept before its first use is recorded, nor while a transaction may be about to revoke it.
      return find(
        tokens,
        readToken,
        hash,
        ({ first_used_at: usedMs }) => usedMs !== null && !isWriting(connections),
      );
    },
    findSession: (hash) => readSession.get(hash),
  };
}

/** The one that is kept, or else what is read, which is kept if it may be. */
function find<T>(
  known: Map<string, T>,
  read: { get: (hash: string) => T | undefined },
  hash: string,
  mayKeep: (found: T) => boolean,
): T | undefined {
  const kept = known.get(hash);
  if (kept) {
    return kept;
  }
  const found = read.get(hash);
  if (found && mayKeep(found)) {
    setMostRecent(known, hash, found, MAX_CACHED);
  }
  return found;
}
