import { orientation } from '@placard/protocol';
import { z } from 'zod';

/**
 * What a shell and its runtime process say to each other (structured clone over `child_process` IPC or
 * `utilityProcess`). The runtime ends itself when the link closes, so no orphan survives its shell.
 */

/** The player's settings after defaults, file, environment and flags were merged; see `player-options.ts`. */
export const runtimeConfig = z.object({
  server: z.url(),
  /** Absolute path of the data folder. */
  dataDir: z.string().min(1),
  /** Absolute path of the built page. */
  rendererDir: z.string().min(1),
  /** Which shell shows the picture, as reported to the cloud: `electron`, `chromium`, `headless`. */
  shell: z.string().min(1),
  /** Bytes that the media cache may take; left out: as much as the disk has. */
  maxCacheBytes: z.int().positive().optional(),
  /** Bytes that the media cache leaves free on the disk; left out: 256 MiB. */
  minFreeBytes: z.int().min(0).optional(),
  /** Bytes a second that downloads may take together; left out: as many as the line gives. */
  maxDownloadBytesPerSecond: z.int().positive().optional(),
  /** How the picture is turned until the cloud says; left out: `landscape`. */
  orientation: orientation.optional(),
  /** PIN of the technician menu that was set at the installation, hashed as in the manifest; one from there wins. */
  menuPinHash: z.string().optional(),
});

/** Shell to runtime. */
export const toRuntime = z.discriminatedUnion('type', [
  /** First message. A restarted runtime gets the port and secret of the one before it, so an open page goes on. */
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
   * Pages or renderers died five times in ten minutes: the shell draws in software from now on, and the runtime shows
   * images alone and reports `stage.safe_mode`. The shell takes it back after an hour of calm; a restart ends it too.
   */
  z.object({ type: z.literal('safe_mode'), on: z.boolean() }),
  /** A page is about to be opened: answer `page` with a one-time address. */
  z.object({ type: z.literal('page_wanted') }),
  /** End within 5 s. */
  z.object({ type: z.literal('stop') }),
]);

/** Runtime to shell. */
export const fromRuntime = z.discriminatedUnion('type', [
  /** The loopback server listens. */
  z.object({ type: z.literal('ready'), port: z.int() }),
  /** Every 5 s from then on: a runtime that hangs cannot say that it does. */
  z.object({ type: z.literal('alive') }),
  /** Open this address once; it hands the cookie over and leads to the page. */
  z.object({ type: z.literal('page'), url: z.url() }),
  /** The page stopped beating: replace it. */
  z.object({ type: z.literal('stage_lost') }),
  /** Cannot go on and a restart will not help: show the sentence and leave with this exit code. */
  z.object({ type: z.literal('fatal'), message: z.string(), exitCode: z.int().min(1) }),
  /** APP_RESTART: the shell ends its window and itself; the supervisor above starts it again. */
  z.object({ type: z.literal('restart_wanted') }),
]);

export type RuntimeConfig = z.infer<typeof runtimeConfig>;
/** As a shell sends it. */
export type ToRuntime = z.input<typeof toRuntime>;
/** As the runtime takes it. */
export type FromShell = z.output<typeof toRuntime>;
export type FromRuntime = z.infer<typeof fromRuntime>;
