/** Every kind of identifier, with its prefix. */
export const ID_PREFIXES = {
  device: 'dev_',
  asset: 'asset_',
  folder: 'folder_',
  playlist: 'pl_',
  item: 'item_',
  schedule: 'sch_',
  rule: 'rule_',
  store: 'store_',
  command: 'cmd_',
  webhook: 'whk_',
  key: 'key_',
  deployment: 'dep_',
  play: 'play_',
  pairing: 'pair_',
  delivery: 'dlv_',
  audit: 'audit_',
  event: 'evt_',
  user: 'usr_',
  session: 'ses_',
  invitation: 'inv_',
  passkey: 'pky_',
  upload: 'upload_',
  operation: 'op_',
  rollout: 'rollout_',
  alert: 'alert_',
  alertRule: 'arule_',
  alertMute: 'amute_',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

// Crockford's alphabet: sorts like the encoded bits and has no ambiguous letters.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/**
 * A time-ordered identifier: prefix, 48 bits of milliseconds, 80 random bits (26 characters).
 * Pure: the caller passes the instant and at least 16 random bytes (5 bits of each are used).
 */
export function makeId(kind: IdKind, nowMs: number, random: Uint8Array): string {
  if (random.length < RANDOM_CHARS) {
    throw new RangeError(`makeId needs ${RANDOM_CHARS} random bytes`);
  }
  let time = '';
  for (let rest = Math.floor(nowMs), i = 0; i < TIME_CHARS; i++) {
    time = ALPHABET[rest % 32]! + time;
    rest = Math.floor(rest / 32);
  }
  let tail = '';
  for (let i = 0; i < RANDOM_CHARS; i++) {
    tail += ALPHABET[random[i]! & 31]!;
  }
  return ID_PREFIXES[kind] + time + tail;
}

/** Creation time of an identifier of this kind, in milliseconds since 1970; null for any other text. */
export function idTimeMs(kind: IdKind, id: string): number | null {
  const prefix = ID_PREFIXES[kind];
  const unique = id.slice(prefix.length);
  if (!id.startsWith(prefix) || unique.length !== TIME_CHARS + RANDOM_CHARS) {
    return null;
  }
  let timeMs = 0;
  for (const char of unique.slice(0, TIME_CHARS)) {
    const digit = ALPHABET.indexOf(char);
    if (digit === -1) {
      return null;
    }
    timeMs = timeMs * 32 + digit;
  }
  return timeMs;
}
