import { Fault } from '@placard/protocol';
import { countAttempt, NO_ATTEMPTS, pinLockedMs } from '../../core/menu/pin-attempts.ts';
import { wayToCloud } from '../../core/pairing/way-to-cloud.ts';
import type { PlayDraft } from '../../core/playback/plays.ts';
import type { Programme } from '../../core/playback/programme.ts';
import type {
  Clock,
  CloudLink,
  LocalSettings,
  Log,
  Machine,
  MediaCache,
  PinCheck,
  Store,
  SupportBundle,
  Telemetry,
} from '../../core/ports.ts';
import { READING, type MenuAnswer, type MenuRequest } from '../../stage-link/messages.ts';
import type { Board } from '../board.ts';

export interface MenuServiceDeps {
  clock: Clock;
  board: Board;
  store: Store;
  media: MediaCache;
  cloud: CloudLink;
  telemetry: Telemetry;
  machine: Machine;
  pinCheck: PinCheck;
  support: SupportBundle;
  /** Address of the cloud. */
  server: string;
  /** Bytes that the media cache may take; null: no limit but the disk's. */
  maxCacheBytes: number | null;
  /** Hash of the PIN that was set at the installation; null: none was. */
  installedPinHash: string | null;
  /** What is played by; null: nothing is. */
  held(): Programme | null;
  /** IANA zone. */
  timezone(): string;
  /** The document of `status.json`. */
  status(): object;
  /** Throws away every file but these, and fetches what is wanted anew. */
  clearCache(keep: ReadonlySet<string>): Promise<void>;
  /** Erases the device and shows the pairing screen. */
  forgetDevice(): void;
  /** Ends the player; the supervisor above starts it again. */
  restart(): void;
  log: Log;
}

/** What the technician who stands before the screen may ask for; see `menu-messages.ts` for who may ask what. */
export interface MenuService {
  answer(request: MenuRequest): Promise<MenuAnswer>;
  /** Whoever was there may have left. */
  lock(): void;
}

const UNLOCKED_MS = 2 * 60_000;
const PROBE_MS = 15_000;

export function createMenuService(deps: MenuServiceDeps): MenuService {
  const { clock, board, store, media, log } = deps;
  let local = store.readLocal();
  let unlockedUntilMono = Number.NEGATIVE_INFINITY;

  const pinHash = () => deps.held()?.manifest.device.menu_pin_hash ?? deps.installedPinHash;
  const lockedMs = () => pinLockedMs(local.pinAttempts, clock.wall());
  const lock = () => {
    unlockedUntilMono = Number.NEGATIVE_INFINITY;
  };

  function access(): 'all' | 'pin' | 'read_only' {
    if (!board.facts.identity) return 'all';
    return pinHash() === null ? 'read_only' : 'pin';
  }

  /** Why this request is refused; null: it is not. */
  function refusal(kind: MenuRequest['kind']): MenuAnswer | null {
    if (kind === 'open' || kind === 'close' || kind === 'unlock') return null;
    const allowed = access();
    if (allowed === 'read_only') return READING.has(kind) ? null : refused('read_only');
    return allowed === 'all' || clock.mono() < unlockedUntilMono ? null : refused('pin_needed', lockedMs());
  }

  /** What cannot be written holds for as long as this process lives. */
  function keep(change: Partial<LocalSettings>): void {
    local = { ...local, ...change };
    try {
      store.saveLocal(local);
    } catch (error) {
      log.warn({ error: String(error) }, 'menu.not_kept');
    }
  }

  async function unlock(pin: string): Promise<MenuAnswer> {
    const hash = pinHash();
    if (access() === 'all') return { kind: 'unlocked' };
    if (hash === null) return refused('read_only');
    const waitMs = lockedMs();
    if (waitMs > 0) return refused('locked', waitMs);
    keep({ pinAttempts: countAttempt(local.pinAttempts, clock.wall()) });
    if (!(await deps.pinCheck.matches(pin, hash))) {
      log.warn({ wrong: local.pinAttempts.wrong }, 'menu.pin_wrong');
      return refused('pin_wrong', lockedMs());
    }
    keep({ pinAttempts: NO_ATTEMPTS });
    unlockedUntilMono = clock.mono() + UNLOCKED_MS;
    log.info({}, 'menu.unlocked');
    return { kind: 'unlocked' };
  }

  async function networkTest(): Promise<MenuAnswer> {
    const interfaces = await deps.telemetry.interfaces();
    const patience = new AbortController();
    void clock.sleep(PROBE_MS, patience.signal).then(() => patience.abort());
    const tried = await deps.cloud
      .probe(patience.signal)
      .then((probe) => ({ ...probe, problem: null }), unanswered)
      .finally(() => patience.abort());
    const around = { server: deps.server, interfaces, wallMs: clock.wall() };
    const { problem, roundTripMs, clockOffMs } = tried;
    return {
      kind: 'network',
      server: deps.server,
      steps: wayToCloud(problem ? { ok: false, problem } : { ok: true }, around),
      interfaces,
      round_trip_ms: roundTripMs,
      clock_off_ms: clockOffMs,
      now_ms: clock.wall(),
    };
  }

  function nowPlaying(): MenuAnswer {
    const { current, next, active, connection, heldRevision, targetRevision } = board.facts;
    const manifest = deps.held()?.manifest ?? null;
    const itemOf = (draft: PlayDraft) => ({
      content_id: draft.contentId,
      item_id: draft.itemId,
      kind: draft.kind,
      playlist_id: draft.playlistId,
      playlist_name: manifest?.playlists.find((one) => one.id === draft.playlistId)?.name ?? null,
    });
    // A picture that is kept is there for its own reason, and not for that of what should be there.
    const kept = current !== null && current.draft.playlistId !== active?.playlistId;
    const scheduleId = kept ? current.draft.scheduleId : (active?.scheduleId ?? null);
    const source = kept ? (scheduleId === null ? 'deployment' : 'schedule') : (active?.source ?? 'none');
    return {
      kind: 'playing',
      now: current && { ...itemOf(current.draft), since_ms: current.startedAtMs },
      next: next && itemOf(next),
      because: {
        source,
        schedule_name: manifest?.schedules.find((one) => one.id === scheduleId)?.name ?? null,
        until_ms: active?.untilMs ?? null,
      },
      connection,
      timezone: deps.timezone(),
      held_revision: heldRevision,
      target_revision: targetRevision,
    };
  }

  async function cache(): Promise<MenuAnswer> {
    const { cacheBytes, freeBytes } = await media.usage();
    return {
      kind: 'cache',
      cache_bytes: cacheBytes,
      max_cache_bytes: deps.maxCacheBytes,
      free_bytes: freeBytes,
      files: media.held().size,
      assets_missing: board.facts.assetsMissing,
    };
  }

  async function clearCache(): Promise<MenuAnswer> {
    const { current, next, connection, identity } = board.facts;
    // Without the cloud nothing would come back.
    if (identity && connection !== 'online') return refused('cloud_away');
    // What is on the screen, and what is about to be, stay until the rest is there again.
    await deps.clearCache(new Set([current?.draft.sha256, next?.sha256].filter((one) => one !== undefined)));
    return { kind: 'done' };
  }

  async function act(request: MenuRequest): Promise<MenuAnswer> {
    switch (request.kind) {
      case 'open':
        lock();
        return {
          kind: 'opened',
          access: access(),
          retry_in_ms: lockedMs(),
          device_name: board.facts.deviceName || null,
          local_orientation: board.facts.localOrientation,
        };
      case 'unlock':
        return unlock(request.pin);
      case 'close':
        lock();
        return { kind: 'done' };
      case 'network_test':
        return networkTest();
      case 'now_playing':
        return nowPlaying();
      case 'cache':
        return cache();
      case 'faults':
        return {
          kind: 'faults',
          timezone: deps.timezone(),
          faults: board.faults().map(({ code, since }) => ({ code, since_ms: Date.parse(since) })),
        };
      case 'save_logs':
        return { kind: 'logs_saved', places: await deps.support.save(deps.status(), clock.wall()) };
      case 'set_orientation':
        keep({ orientation: request.orientation });
        board.set({ localOrientation: request.orientation });
        return { kind: 'done' };
      case 'clear_cache':
        return clearCache();
      case 're_pair':
        deps.forgetDevice();
        return { kind: 'done' };
      case 'restart':
        deps.restart();
        return { kind: 'done' };
      case 'reboot':
        await deps.machine.reboot();
        return { kind: 'done' };
    }
    return request satisfies never;
  }

  return {
    lock,
    async answer(request) {
      const no = refusal(request.kind);
      if (no) return no;
      if (clock.mono() < unlockedUntilMono) unlockedUntilMono = clock.mono() + UNLOCKED_MS;
      if (!READING.has(request.kind) && request.kind !== 'unlock')
        log.info({ kind: request.kind }, 'menu.act');
      try {
        return await act(request);
      } catch (error) {
        log.warn({ kind: request.kind, error: String(error) }, 'menu.failed');
        return notPossible(error instanceof Error ? error.message : String(error));
      }
    },
  };
}

type Refused = Extract<MenuAnswer, { kind: 'refused' }>;

const refused = (reason: Refused['reason'], retryInMs = 0): Refused => ({
  kind: 'refused',
  reason,
  retry_in_ms: retryInMs,
  message: '',
});

const notPossible = (message: string): Refused => ({
  ...refused('not_possible'),
  message: message.slice(0, 300),
});

function unanswered(error: unknown) {
  if (!(error instanceof Fault)) throw error;
  const reason = typeof error.facts.reason === 'string' ? error.facts.reason : null;
  return { problem: { code: error.code, reason }, roundTripMs: null, clockOffMs: null };
}
