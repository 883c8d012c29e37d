/**
 * Every fault of a player. A code never changes its meaning: it is on the wire, in logs, in `status.json` and on
 * screens. `help` says for the operator what is wrong and what to do.
 */
export const FAULTS = {
  // Not reported: a shell that cannot start prints which setting is invalid, and exits.
  'config.invalid': {
    help: 'A setting is invalid. Correct the setting named in the log and restart the player.',
  },
  'data.unwritable': {
    help: 'The data folder cannot be written. Give the player write access to it, or choose another folder with --data.',
  },
  'data.locked': {
    help: 'Another player already uses this data folder. Stop it, or choose another folder with --data.',
  },
  'store.corrupt': {
    help: 'The player database was damaged. It was set aside and rebuilt from the files on disk and the cloud. No action is needed.',
  },
  'disk.full': {
    help: 'The disk is full. Playback continues with the stored media. Free disk space or raise the cache limit.',
  },
  'disk.readonly': {
    help: 'The disk is read-only. Playback continues with the stored media. Check the disk or SD card and reboot.',
  },
  'cloud.unreachable': {
    help: 'The cloud cannot be reached. Playback continues with the stored media. Check the cable, Wi-Fi and the server address.',
  },
  'cloud.refused': {
    help: 'The cloud rejected the request. Check that the server address is correct and that the cloud is up to date.',
  },
  'cloud.not_placard': {
    help: 'The server responded, but it is not a Placard cloud. Check the server address, and whether the network requires a log-in page.',
  },
  'cloud.busy': { help: 'The cloud asked the player to wait. The player retries automatically.' },
  'cloud.tls': {
    help: 'The secure connection failed. Check the date and time of this device and the certificate of the server.',
  },
  'identity.shared': {
    help: 'Another device has the same identity because its disk is a copy. Both keep playing. Erase the data folder of one of them and pair it again.',
  },
  'asset.gone': {
    help: 'A file of the playlist no longer exists in the cloud. Remove the item from the playlist or upload the file again.',
  },
  'asset.not_allowed': {
    help: 'A file is on a host from which this player must not download. Set the public address of the cloud (--public-url), or upload the file to the cloud.',
  },
  'manifest.unknown': {
    help: 'The cloud sent something that this player version does not support. It was skipped; everything else plays. Update the player.',
  },
  'asset.hash_mismatch': {
    help: 'A file was damaged in transfer and discarded. The player downloads it again.',
  },
  'asset.download_failed': { help: 'A file could not be downloaded. The player retries automatically.' },
  'playback.decode_failed': {
    help: 'A file cannot be decoded on this device and is skipped. Convert it to H.264 MP4, JPEG or PNG.',
  },
  'playback.stalled': { help: 'A video stalled and was skipped. The player tries it again later.' },
  'playback.nothing_playable': {
    help: 'No item of the playlist can be shown. The last picture stays on screen. Check the items of the playlist.',
  },
  'plays.dropped': {
    help: 'Some plays are missing from analytics. Check disk and network.',
  },
  'stage.lost': { help: 'The page that shows the media stopped responding. It is restarted automatically.' },
  'stage.safe_mode': {
    help: 'The page that shows the media crashed repeatedly. For one hour it shows images only and does not use the graphics card. Check the graphics driver and the newest videos.',
  },
  // Not reported: a shell that cannot start prints why nothing can be shown, and exits.
  'shell.none': {
    help: 'No browser was found to show media. Install Chromium, Chrome or Edge, or start the player with --shell headless.',
  },
  'runtime.crashed': {
    help: 'The player process ended unexpectedly. It is restarted automatically; the picture stays on screen.',
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
