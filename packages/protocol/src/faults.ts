/**
 * Every way a player can be in trouble. A code never changes its meaning: it is on the wire, in logs, in
 * `status.json` and on screens. `help` is the one sentence the operator reads: what is wrong and what to do.
 */
export const FAULTS = {
  'config.invalid': { help: 'A setting is not valid. Correct the named setting and start again.' },
  'data.unwritable': {
    help: 'The data folder cannot be written. Give the player write access to it, or choose another with --data.',
  },
  'data.locked': {
    help: 'Another player already uses this data folder. Stop it, or choose another folder with --data.',
  },
  'store.corrupt': {
    help: 'The player database was damaged. It was set aside and is rebuilt from the files on disk and the cloud; nothing needs to be done.',
  },
  'disk.full': {
    help: 'The disk is full. The screen goes on with what it has; free some space or raise the cache budget.',
  },
  'disk.readonly': {
    help: 'The disk is read-only. The screen goes on with what it has; check the disk or SD card and restart.',
  },
  'cloud.unreachable': {
    help: 'The cloud cannot be reached. The screen goes on with what it has; check cable, Wi-Fi and the server address.',
  },
  'cloud.refused': {
    help: 'The cloud refused the request. Check that the server address is right and that the cloud is up to date.',
  },
  'cloud.not_placard': {
    help: 'The server answered, but not as a Placard cloud. Check the server address; a Wi-Fi log-in page may be in the way.',
  },
  'cloud.busy': { help: 'The cloud asked the player to slow down; it tries again by itself.' },
  'cloud.tls': {
    help: 'The secure connection failed. Check the date and time of this box, and the certificate of the server.',
  },
  'identity.shared': {
    help: 'Another box uses the identity of this screen: a copy of its disk. Both go on playing; erase what the player keeps on one of them, and pair that one anew.',
  },
  'asset.gone': {
    help: 'The cloud no longer has a file that the playlist names. Remove the item from the playlist or upload the file again.',
  },
  'asset.not_allowed': {
    help: 'A file lies at an address that this player must not fetch from. Let the cloud name its public address (--public-url), or upload the file to the cloud itself.',
  },
  'manifest.unknown': {
    help: 'The cloud sent something that this player does not know; it was left out and the rest plays. Update the player; the fault says what it was.',
  },
  'asset.hash_mismatch': { help: 'A file arrived damaged and was thrown away; it is fetched again.' },
  'asset.download_failed': { help: 'A file could not be downloaded; it is tried again.' },
  'playback.decode_failed': {
    help: 'A file cannot be decoded on this box. It is skipped; convert it to H.264 MP4, JPEG or PNG.',
  },
  'playback.stalled': { help: 'A video stopped moving and was skipped; it is tried again later.' },
  'playback.nothing_playable': {
    help: 'Nothing in the playlist can be shown. The last good picture stays; check the items of the playlist.',
  },
  'plays.dropped': {
    help: 'Some showings could not be reported and are missing from the figures. The fault says how many; see that the disk and the way to the cloud are well.',
  },
  'stage.lost': { help: 'The page that shows the picture stopped answering; it is started again.' },
  'stage.safe_mode': {
    help: 'The page that shows the picture crashed again and again. It shows images alone and draws in software for an hour; check the graphics driver and the newest videos.',
  },
  'shell.none': {
    help: 'No way to show a picture was found. Install Chromium, Chrome or Edge, or run with --shell headless.',
  },
  'runtime.crashed': {
    help: 'The player process ended unexpectedly; it is started again and the picture stays.',
  },
} as const satisfies Record<string, { help: string }>;

export type FaultCode = keyof typeof FAULTS;

const helpByCode: Readonly<Record<string, { help: string } | undefined>> = FAULTS;

/** The sentence for the operator; null for a code that this version does not know. */
export const faultHelp = (code: string): string | null => helpByCode[code]?.help ?? null;

/** When to try again: later (the caller's back-off), never, or after a stated wait in milliseconds. */
export type Retry = 'later' | 'never' | { afterMs: number };

/** A failure that has a name. Adapters translate foreign errors into this; everything else is a bug. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly retry: Retry;
  /** What is known about the case (ids, paths, status codes), for logs; never a secret. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: FaultCode, retry: Retry, facts: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super(`${code}: ${FAULTS[code].help}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retry = retry;
    this.facts = facts;
  }
}
