import { orientation } from '@placard/protocol';
import { z } from 'zod';

/**
 * Messages between a shell and its runtime process (structured clone over `child_process` IPC or `utilityProcess`).
 * The runtime exits when the channel closes, so that it never outlives its shell.
 */

/** The player's settings, merged from defaults, file, environment and flags; see `player-options.ts`. */
export const runtimeConfig = z.object({
  server: z.url(),
  /** Absolute path of the data folder. */
  dataDir: z.string().min(1),
  /** Absolute path of the built page. */
  rendererDir: z.string().min(1),
  /** Which shell runs the page, as reported to the cloud: `electron`, `chromium`, `headless`. */
  shell: z.string().min(1),
  /** Maximum size of the media cache in bytes; absent: limited only by the disk. */
  maxCacheBytes: z.int().positive().optional(),
  /** Bytes that the media cache leaves free on the disk; absent: 256 MiB. */
  minFreeBytes: z.int().min(0).optional(),
  /** Maximum download rate of all downloads together in bytes per second; absent: unlimited. */
  maxDownloadBytesPerSecond: z.int().positive().optional(),
  /** Orientation until the cloud sends one; absent: `landscape`. */
  orientation: orientation.optional(),
  /** Hash of the menu PIN set at installation, in the manifest's format; a PIN in the manifest overrides it. */
  menuPinHash: z.string().optional(),
});

/** Shell to runtime. */
export const toRuntimeMessage = z.discriminatedUnion('type', [
  /** First message. A restarted runtime gets the previous port and secret, so that an open page can reconnect. */
  z.object({
    type: z.literal('start'),
    config: runtimeConfig,
    /** 0 lets the operating system choose. */
    port: z.int().min(0).max(65_535),
    /** Secret of this launch: the value of the page's cookie. */
    session: z.string().min(32),
    /** The shell is in safe mode already; see `safe_mode`. */
    safeMode: z.boolean().default(false),
  }),
  /**
   * Sent after five crashes of pages or renderers in ten minutes: the shell renders in software from now on; the
   * runtime shows only images and raises `stage.safe_mode`. The shell sends `on: false` after an hour without a
   * crash; a restart ends safe mode too.
   */
  z.object({ type: z.literal('safe_mode'), on: z.boolean() }),
  /** A page is about to be opened: respond with `page` and a one-time URL. */
  z.object({ type: z.literal('page_wanted') }),
  /** The picture that was asked for: a JPEG image in Base64; null when there was no window to take it of. */
  z.object({ type: z.literal('screenshot'), id: z.int(), image: z.string().nullable() }),
  /** Exit within 5 s. */
  z.object({ type: z.literal('stop') }),
]);

/** Runtime to shell. */
export const fromRuntimeMessage = z.discriminatedUnion('type', [
  /** The loopback server is listening. */
  z.object({ type: z.literal('ready'), port: z.int() }),
  /** Sent every 5 s from then on, so that the shell detects a runtime that hangs. */
  z.object({ type: z.literal('alive') }),
  /** One-time URL to open; it sets the cookie and redirects to the page. */
  z.object({ type: z.literal('page'), url: z.url() }),
  /** The page has stopped sending beats: replace it. */
  z.object({ type: z.literal('stage_lost') }),
  /** Respond with `screenshot`: a picture of the window whose longer side has at most so many pixels. */
  z.object({ type: z.literal('screenshot_wanted'), id: z.int(), maxPixels: z.int().positive() }),
  /** A fault that a restart cannot fix: show the message and exit with this code. */
  z.object({ type: z.literal('fatal'), message: z.string(), exitCode: z.int().min(1) }),
  /** The shell closes its window and exits with `EXIT_RESTART`; systemd, `npm start` or `shells/main.ts` starts it again. */
  z.object({ type: z.literal('restart_wanted') }),
]);

export type RuntimeConfig = z.infer<typeof runtimeConfig>;
/** As sent by a shell. */
export type ToRuntimeMessage = z.input<typeof toRuntimeMessage>;
/** As parsed by the runtime. */
export type ParsedToRuntimeMessage = z.output<typeof toRuntimeMessage>;
export type FromRuntimeMessage = z.infer<typeof fromRuntimeMessage>;
