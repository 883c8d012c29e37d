/**
 * Every fault of a player. A code never changes its meaning: it is on the wire, in logs, in `status.json` and on
 * screens. The text says for the operator what is wrong and what to do.
 */
export const FAULTS = {
  // Not reported: a shell that cannot start prints which setting is invalid, and exits.
  'config.invalid': 'A setting is invalid. Correct the setting named in the log and restart the player.',
  'data.unwritable':
    'The data folder cannot be written. Give the player write access to it, or choose another folder with --data.',
  'data.locked':
    'Another player already uses this data folder. Stop it, or choose another folder with --data.',
  'store.corrupt':
    'The player database was damaged. It was set aside and rebuilt from the files on disk and the cloud. No action is needed.',
  'disk.full':
    'The disk is full. Playback continues with the stored media. Free disk space or raise the cache limit.',
  'disk.readonly':
    'The disk is read-only. Playback continues with the stored media. Check the disk or SD card and reboot.',
  'cloud.unreachable':
    'The cloud cannot be reached. Playback continues with the stored media. Check the cable, Wi-Fi and the server address.',
  'cloud.refused':
    'The cloud rejected the request. Check that the server address is correct and that the cloud is up to date.',
  'cloud.not_placard':
    'The server responded, but it is not a Placard cloud. Check the server address, and whether the network requires a log-in page.',
  'cloud.busy': 'The cloud asked the player to wait. The player retries automatically.',
  'cloud.tls':
    'The secure connection failed. Check the date and time of this device and the certificate of the server.',
  'identity.shared':
    'Another device has the same identity because its disk is a copy. Both keep playing. Erase the data folder of one of them and pair it again.',
  'asset.gone':
    'A file of the playlist no longer exists in the cloud. Remove the item from the playlist or upload the file again.',
  'asset.not_allowed':
    'A file is on a host from which this player must not download. Set the public address of the cloud (--public-url), or upload the file to the cloud.',
  'manifest.unknown':
    'The cloud sent something that this player version does not support. It was skipped; everything else plays. Update the player.',
  'asset.hash_mismatch': 'A file was damaged in transfer and discarded. The player downloads it again.',
  'asset.download_failed': 'A file could not be downloaded. The player retries automatically.',
  'playback.decode_failed':
    'A file cannot be decoded on this device and is skipped. Convert it to H.264 MP4, JPEG or PNG.',
  'playback.stalled': 'A video stalled and was skipped. The player tries it again later.',
  'playback.nothing_playable':
    'No item of the playlist can be shown. The last picture stays on screen. Check the items of the playlist.',
  'plays.dropped': 'Some plays are missing from analytics. Check disk and network.',
  'stage.lost': 'The page that shows the media stopped responding. It is restarted automatically.',
  'stage.safe_mode':
    'The page that shows the media crashed repeatedly. For one hour it shows images only and does not use the graphics card. Check the graphics driver and the newest videos.',
  // Not reported: a shell that cannot start prints why nothing can be shown, and exits.
  'shell.none':
    'No browser was found to show media. Install Chromium, Chrome or Edge, or start the player with --shell headless.',
  'runtime.crashed':
    'The player process ended unexpectedly. It is restarted automatically; the picture stays on screen.',
} as const satisfies Record<string, string>;

export type FaultCode = keyof typeof FAULTS;

const helpByCode: Readonly<Record<string, string | undefined>> = FAULTS;

/** The text of a fault for the operator; null for a code that this version does not know. */
export const faultHelp = (code: string): string | null => helpByCode[code] ?? null;

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
    super(`${code}: ${FAULTS[code]}`, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retry = retry;
    this.details = details;
  }
}
