import { ORIENTATIONS } from '@placard/protocol';
import * as z from 'zod/mini';
import { networkInterface, wayStep } from './way-to-cloud.ts';

const orientation = z.enum(ORIENTATIONS);

/**
 * What the technician menu asks of the runtime. The page draws and asks; the runtime alone knows the PIN and decides.
 *
 * - Before pairing everything is allowed.
 * - After pairing, with a PIN set: everything but `open`, `unlock` and `close` needs `unlock` first.
 * - After pairing, without a PIN: only what `READING` names.
 *
 * `open` locks the menu again, and so does `close`, a page that leaves, or two minutes without a request.
 */
export const menuRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open') }),
  z.object({ kind: z.literal('unlock'), pin: z.string().check(z.regex(/^\d{4,8}$/)) }),
  z.object({ kind: z.literal('close') }),
  /** Tries the way to the cloud now. */
  z.object({ kind: z.literal('network_test') }),
  z.object({ kind: z.literal('now_playing') }),
  z.object({ kind: z.literal('cache') }),
  z.object({ kind: z.literal('faults') }),
  /** Writes logs and status, without secrets, into the data folder and onto a USB stick if there is one. */
  z.object({ kind: z.literal('save_logs') }),
  /** Turns the picture on this box only; null goes back to what the cloud says. */
  z.object({ kind: z.literal('set_orientation'), orientation: z.nullable(orientation) }),
  /** Erases the media that are kept; what is on the screen stays until it is there anew. */
  z.object({ kind: z.literal('clear_cache') }),
  /** Forgets the device: identity, manifests, plays. Then the pairing screen. */
  z.object({ kind: z.literal('re_pair') }),
  /** The player ends and is started again. */
  z.object({ kind: z.literal('restart') }),
  /** The box itself. */
  z.object({ kind: z.literal('reboot') }),
]);

export type MenuRequest = z.infer<typeof menuRequest>;

/** Allowed to everybody who stands before a paired screen that has no PIN. */
export const READING: ReadonlySet<MenuRequest['kind']> = new Set([
  'open',
  'close',
  'network_test',
  'now_playing',
  'cache',
  'faults',
]);

const instantMs = z.number();
const bytes = z.int().check(z.minimum(0));

/** One item, by its names where the manifest has them. */
const playingItem = z.object({
  content_id: z.string(),
  item_id: z.string(),
  kind: z.enum(['image', 'video']),
  playlist_id: z.string(),
  playlist_name: z.nullable(z.string()),
});

export const menuAnswer = z.discriminatedUnion('kind', [
  /** To `open`. */
  z.object({
    kind: z.literal('opened'),
    /** `all` is allowed, a `pin` is needed first, or it is `read_only` because no PIN is set. */
    access: z.enum(['all', 'pin', 'read_only']),
    /** Milliseconds until a PIN is listened to again; 0: now. */
    retry_in_ms: z.number().check(z.minimum(0)),
    device_name: z.nullable(z.string()),
    /** Chosen on this box; null: the cloud's holds. */
    local_orientation: z.nullable(orientation),
  }),
  /** To a right `unlock`. */
  z.object({ kind: z.literal('unlocked') }),
  z.object({
    kind: z.literal('network'),
    server: z.string(),
    steps: z.array(wayStep),
    interfaces: z.array(networkInterface),
    /** Milliseconds from request to answer; null when there was none. */
    round_trip_ms: z.nullable(z.number().check(z.minimum(0))),
    /** This box's clock minus the server's, in milliseconds; null when not known. */
    clock_off_ms: z.nullable(z.number()),
    /** Corrected wall clock at the test, in milliseconds since 1970. */
    now_ms: instantMs,
  }),
  z.object({
    kind: z.literal('playing'),
    now: z.nullable(z.extend(playingItem, { since_ms: instantMs })),
    next: z.nullable(playingItem),
    /** Why this playlist. */
    because: z.object({
      source: z.enum(['schedule', 'deployment', 'none']),
      schedule_name: z.nullable(z.string()),
      /** When this may change, in milliseconds since 1970; null when nothing is known to change it. */
      until_ms: z.nullable(instantMs),
    }),
    connection: z.enum(['connecting', 'online', 'offline']),
    /** IANA zone in which to tell the instants. */
    timezone: z.string(),
    /** What is played by, and what is worked towards; equal when all is done. */
    held_revision: z.nullable(z.string()),
    target_revision: z.nullable(z.string()),
  }),
  z.object({
    kind: z.literal('cache'),
    cache_bytes: bytes,
    /** The most that the cache may take; null: no limit but the disk's. */
    max_cache_bytes: z.nullable(bytes),
    free_bytes: z.nullable(bytes),
    files: z.int().check(z.minimum(0)),
    assets_missing: z.int().check(z.minimum(0)),
  }),
  z.object({
    kind: z.literal('faults'),
    timezone: z.string(),
    /** `code` as in `FAULTS`; a code that the page does not know is shown as it is. */
    faults: z.array(z.object({ code: z.string(), since_ms: instantMs })),
  }),
  /** Where the logs are now: paths of files, at least one. */
  z.object({ kind: z.literal('logs_saved'), places: z.array(z.string()) }),
  /** To `close`, `set_orientation`, `clear_cache`, `re_pair`, `restart`, `reboot`: done, or begun where it ends this process. */
  z.object({ kind: z.literal('done') }),
  z.object({
    kind: z.literal('refused'),
    /** `cloud_away`: it takes the cloud, which cannot be reached. */
    reason: z.enum(['pin_wrong', 'locked', 'pin_needed', 'read_only', 'cloud_away', 'not_possible']),
    /** Milliseconds until a PIN is listened to again; 0: now. With `pin_wrong` and `locked`. */
    retry_in_ms: z.number().check(z.minimum(0)),
    /** For `not_possible`: what the system said, in its own words; else empty. */
    message: z.string(),
  }),
]);

export type MenuAnswer = z.infer<typeof menuAnswer>;

/** Page to runtime. `id` is made by the page and comes back with the one answer to it. */
export const menuRequestMessage = z.object({
  type: z.literal('menu_request'),
  id: z.string(),
  request: menuRequest,
});

/** Runtime to page. */
export const menuAnswerMessage = z.object({
  type: z.literal('menu_answer'),
  id: z.string(),
  answer: menuAnswer,
});
