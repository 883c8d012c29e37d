import { ORIENTATIONS } from '../display-options.ts';
import * as z from 'zod/mini';
import { networkInterface, connectivityStep } from './connectivity.ts';

const orientation = z.enum(ORIENTATIONS);

/**
 * Requests of the technician menu to the runtime. The page only displays; the runtime knows the PIN and decides.
 *
 * - Before pairing everything is allowed.
 * - After pairing, with a PIN set: everything but `open`, `unlock` and `close` needs `unlock` first.
 * - After pairing, without a PIN: only `READ_ONLY_REQUESTS`.
 *
 * `open` locks the menu again, and so do `close`, a lost page, or two minutes without a request.
 */
const menuRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open') }),
  z.object({ kind: z.literal('unlock'), pin: z.string().check(z.regex(/^\d{4,8}$/)) }),
  z.object({ kind: z.literal('close') }),
  /** Runs the connectivity check now. */
  z.object({ kind: z.literal('network_test') }),
  z.object({ kind: z.literal('now_playing') }),
  z.object({ kind: z.literal('cache') }),
  z.object({ kind: z.literal('faults') }),
  /** Writes logs and status, without secrets, to the data folder and to a USB stick if there is one. */
  z.object({ kind: z.literal('save_logs') }),
  /** Rotates the picture on this device only; null returns to the setting of the cloud. */
  z.object({ kind: z.literal('set_orientation'), orientation: z.nullable(orientation) }),
  /** Deletes the media cache; the current picture stays until its file is downloaded again. */
  z.object({ kind: z.literal('clear_cache') }),
  /** Deletes identity, manifests and plays, and shows the pairing screen. */
  z.object({ kind: z.literal('re_pair') }),
  /** Ends the player and starts it again. */
  z.object({ kind: z.literal('restart') }),
  /** Reboots the machine. */
  z.object({ kind: z.literal('reboot') }),
]);

export type MenuRequest = z.infer<typeof menuRequest>;

/** Requests allowed to anybody in front of a paired device without a PIN. */
export const READ_ONLY_REQUESTS: ReadonlySet<MenuRequest['kind']> = new Set([
  'open',
  'close',
  'network_test',
  'now_playing',
  'cache',
  'faults',
]);

const epochMs = z.number();
const bytes = z.int().check(z.minimum(0));

/** One item, with its names if the manifest has them. */
const playingItem = z.object({
  content_id: z.string(),
  item_id: z.string(),
  kind: z.enum(['image', 'video']),
  playlist_id: z.string(),
  playlist_name: z.nullable(z.string()),
});

const menuResponse = z.discriminatedUnion('kind', [
  /** Response to `open`. */
  z.object({
    kind: z.literal('opened'),
    /** `all` is allowed, a `pin` is needed first, or `read_only` because no PIN is set. */
    access: z.enum(['all', 'pin', 'read_only']),
    /** Milliseconds until a PIN is accepted again; 0: now. */
    retry_in_ms: z.number().check(z.minimum(0)),
    device_name: z.nullable(z.string()),
    /** Set on this device; null: the setting of the cloud applies. */
    local_orientation: z.nullable(orientation),
  }),
  /** Response to a correct `unlock`. */
  z.object({ kind: z.literal('unlocked') }),
  z.object({
    kind: z.literal('network'),
    server: z.string(),
    steps: z.array(connectivityStep),
    interfaces: z.array(networkInterface),
    /** Milliseconds from request to response; null when there was none. */
    round_trip_ms: z.nullable(z.number().check(z.minimum(0))),
    /** This device's clock minus the server's, in milliseconds; null when unknown. */
    clock_offset_ms: z.nullable(z.number()),
    /** Corrected wall clock at the test, in milliseconds since 1970. */
    now_ms: epochMs,
  }),
  z.object({
    kind: z.literal('playing'),
    now: z.nullable(z.extend(playingItem, { since_ms: epochMs })),
    next: z.nullable(playingItem),
    /** Why this playlist is active. */
    because: z.object({
      source: z.enum(['schedule', 'deployment', 'none']),
      schedule_name: z.nullable(z.string()),
      /** When this may change, in milliseconds since 1970; null when no change is known. */
      until_ms: z.nullable(epochMs),
    }),
    connection: z.enum(['connecting', 'online', 'offline']),
    /** IANA zone in which to display times. */
    timezone: z.string(),
    /** Revisions of the held and the target manifest; equal when the sync is done. */
    held_revision: z.nullable(z.string()),
    target_revision: z.nullable(z.string()),
  }),
  z.object({
    kind: z.literal('cache'),
    cache_bytes: bytes,
    /** Disk budget of the media cache; null: no limit but the disk's. */
    max_cache_bytes: z.nullable(bytes),
    free_bytes: z.nullable(bytes),
    files: z.int().check(z.minimum(0)),
    assets_missing: z.int().check(z.minimum(0)),
  }),
  z.object({
    kind: z.literal('faults'),
    timezone: z.string(),
    /** `code` as in `FAULTS`; the page shows an unknown code as it is. */
    faults: z.array(z.object({ code: z.string(), since_ms: epochMs })),
  }),
  /** Paths of the written log files, at least one. */
  z.object({ kind: z.literal('logs_saved'), places: z.array(z.string()) }),
  /** To `close`, `set_orientation`, `clear_cache`, `re_pair`, `restart`, `reboot`: done, or begun if this process ends. */
  z.object({ kind: z.literal('done') }),
  z.object({
    kind: z.literal('refused'),
    /** `cloud_unreachable`: the request needs the cloud. */
    reason: z.enum(['pin_wrong', 'locked', 'pin_needed', 'read_only', 'cloud_unreachable', 'not_possible']),
    /** Milliseconds until a PIN is accepted again; 0: now. With `pin_wrong` and `locked`. */
    retry_in_ms: z.number().check(z.minimum(0)),
    /** For `not_possible`: the error message of the system; otherwise empty. */
    message: z.string(),
  }),
]);

export type MenuResponse = z.infer<typeof menuResponse>;

/** Page to runtime. `id` is made by the page; the one response has the same id. */
export const menuRequestMessage = z.object({
  type: z.literal('menu_request'),
  id: z.string(),
  request: menuRequest,
});

/** Runtime to page. */
export const menuResponseMessage = z.object({
  type: z.literal('menu_response'),
  id: z.string(),
  response: menuResponse,
});
