/**
 * Every fault of a player. A code never changes its meaning: it is on the wire, in logs, in `status.json` and on
 * screens. `help` is one sentence for the operator: what is wrong and what to do.
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
    help: 'The disk is full. Playback continues with the files already stored; free some space or raise the cache budget.',
  },
  'disk.readonly': {
    help: 'The disk is read-only. Playback continues with the files already stored; check the disk or SD card and restart.',
  },
  'cloud.unreachable': {
    help: 'The cloud cannot be reached. Playback continues with the files already stored; check cable, Wi-Fi and the server address.',
  },
  'cloud.refused': {
    help: 'The cloud refused the request. Check that the server address is right and that the cloud is up to date.',
  },
  'cloud.not_placard': {
    help: 'The server answered, but it is not a Placard cloud. Check the server address; a Wi-Fi log-in page may be in the way.',
  },
  'cloud.busy': { help: 'The cloud asked the player to slow down; it retries automatically.' },
  'cloud.tls': {
    help: 'The secure connection failed. Check the date and time of this device and the certificate of the server.',
  },
  'identity.shared': {
    help: 'Another device uses the same identity: its disk is a copy. Both keep playing; erase the data folder of one of them and pair it again.',
  },
  'asset.gone': {
    help: 'The cloud no longer has a file that the playlist names. Remove the item from the playlist or upload the file again.',
  },
  'asset.not_allowed': {
    help: 'A file is on a host that this player must not download from. Set the public address of the cloud (--public-url), or upload the file to the cloud itself.',
  },
  'manifest.unknown': {
    help: 'The cloud sent something that this player does not support; it was skipped and the rest plays. Update the player; the details of the fault say what was skipped.',
  },
  'asset.hash_mismatch': { help: 'A file was damaged in transfer and discarded; it is downloaded again.' },
  'asset.download_failed': { help: 'A file could not be downloaded; the download is retried.' },
  'playback.decode_failed': {
    help: 'A file cannot be decoded on this device. It is skipped; convert it to H.264 MP4, JPEG or PNG.',
  },
  'playback.stalled': { help: 'A video stalled and was skipped; it is tried again later.' },
  'playback.nothing_playable': {
    help: 'Nothing in the playlist can be shown. The last good picture stays; check the items of the playlist.',
  },
  'plays.dropped': {
    help: 'Some plays could not be reported and are missing from the analytics. The details of the fault say how many; check the disk and the connection to the cloud.',
  },
  'stage.lost': { help: 'The page that shows the media stopped responding; it is restarted.' },
  'stage.safe_mode': {
    help: 'The page that shows the media crashed repeatedly. For an hour it shows only images and renders in software; check the graphics driver and the newest videos.',
  },
  'shell.none': {
    help: 'No browser to show media with was found. Install Chromium, Chrome or Edge, or run with --shell headless.',
  },
  'runtime.crashed': {
    help: 'The player process ended unexpectedly; it is restarted and the picture stays.',
  },
} as const satisfies Record<string, { help: string }>;

export type FaultCode = keyof typeof FAULTS;

const helpByCode: Readonly<Record<string, { help: string } | undefined>> = FAULTS;

/** The `help` of a fault for the operator; null for a code that this version does not know. */
export const faultHelp = (code: string): string | null => helpByCode[code]?.help ?? null;

/** When to retry: later (the caller's back-off), never, or after a wait in milliseconds. */
export type Retry = 'later' | 'never' | { afterMs: number };

/** A failure with a code. Adapters translate foreign errors into it; any other error is a bug. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly retry: Retry;
  /** Context for logs (ids, paths, status codes); never a secret. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: FaultCode,
    retry: Retry,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(`${code}: ${FAULTS[code].help}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retry = retry;
    this.details = details;
  }
}
