import { Fault } from '@placard/protocol';
import { countAttempt, NO_ATTEMPTS, pinLockRemainingMs } from '../../core/menu/pin-attempts.ts';
import { checkConnectivity } from '../../core/connectivity-check.ts';
import { errorMessage } from '../../core/error-details.ts';
import type { Showing } from '../../core/playback/plays.ts';
import type { CompiledManifest } from '../../core/playback/compiled-manifest.ts';
import type { LocalSettings } from '../../core/ports.ts';
import { READ_ONLY_REQUESTS } from '@placard/protocol/stage';
import type { MenuResponse, MenuRequest } from '@placard/protocol/stage';
import type { ServiceDeps } from '../base/service-deps.ts';
import { findKeptShowing } from '../base/status.ts';

interface MenuServiceDeps extends Pick<
  ServiceDeps,
  | 'clock'
  | 'playerState'
  | 'database'
  | 'media'
  | 'cloud'
  | 'telemetry'
  | 'machine'
  | 'pinVerifier'
  | 'supportBundle'
  | 'server'
  | 'timezone'
  | 'restartPlayer'
  | 'log'
> {
  /** Maximum size of the media cache in bytes; undefined: limited only by the disk. */
  maxCacheBytes?: number | undefined;
  /** Hash of the PIN that was set at installation; undefined: none. */
  menuPinHash?: string | undefined;
  /** The held manifest; null: none. */
  held(): CompiledManifest | null;
  /** The document of `status.json`. */
  status(): object;
  /** Deletes all cached files except these and downloads the needed ones again. */
  clearCache(preserved: ReadonlySet<string>): Promise<void>;
  /** Erases the device and shows the pairing screen. */
  unpair(): void;
}

const UNLOCKED_MS = 2 * 60_000;
const PROBE_MS = 15_000;

/** Handles the requests of the technician menu; see `menu-messages.ts` for which request needs which access. */
export function createMenuService(deps: MenuServiceDeps) {
  const { clock, playerState, database, media, log } = deps;
  let localSettings = database.readLocalSettings();
  let unlockedUntilMonoMs = Number.NEGATIVE_INFINITY;

  const pinHash = () => deps.held()?.manifest.device.menu_pin_hash ?? deps.menuPinHash ?? null;
  const lockedMs = () => pinLockRemainingMs(localSettings.pinAttempts, clock.wallMs());
  /** Locks the menu: the technician may have left. */
  const lock = () => {
    unlockedUntilMonoMs = Number.NEGATIVE_INFINITY;
  };

  function access(): 'all' | 'pin' | 'read_only' {
    if (!playerState.fields.identity) {
      return 'all';
    }
    return pinHash() === null ? 'read_only' : 'pin';
  }

  /** The refusal of this request; null: it is allowed. */
  function refusal(kind: MenuRequest['kind']): MenuResponse | null {
    if (kind === 'open' || kind === 'close' || kind === 'unlock') {
      return null;
    }
    const allowed = access();
    if (allowed === 'read_only') {
      return READ_ONLY_REQUESTS.has(kind) ? null : refuse('read_only');
    }
    return allowed === 'all' || clock.monoMs() < unlockedUntilMonoMs
      ? null
      : refuse('pin_needed', lockedMs());
  }

  /** Settings that cannot be saved apply until this process ends. */
  function updateLocalSettings(change: Partial<LocalSettings>): void {
    localSettings = { ...localSettings, ...change };
    try {
      database.saveLocalSettings(localSettings);
    } catch (error) {
      log.warn({ error: String(error) }, 'menu.save_failed');
    }
  }

  async function unlock(pin: string): Promise<MenuResponse> {
    const hash = pinHash();
    if (access() === 'all') {
      return { kind: 'unlocked' };
    }
    if (hash === null) {
      return refuse('read_only');
    }
    const waitMs = lockedMs();
    if (waitMs > 0) {
      return refuse('locked', waitMs);
    }
    updateLocalSettings({ pinAttempts: countAttempt(localSettings.pinAttempts, clock.wallMs()) });
    if (!(await deps.pinVerifier.verify(pin, hash))) {
      log.warn({ wrong: localSettings.pinAttempts.wrong }, 'menu.pin_rejected');
      return refuse('pin_wrong', lockedMs());
    }
    updateLocalSettings({ pinAttempts: NO_ATTEMPTS });
    unlockedUntilMonoMs = clock.monoMs() + UNLOCKED_MS;
    log.info({}, 'menu.unlocked');
    return { kind: 'unlocked' };
  }

  async function networkTest(): Promise<MenuResponse> {
    const interfaces = await deps.telemetry.interfaces();
    const probeTimeout = new AbortController();
    void clock.sleep(PROBE_MS, probeTimeout.signal).then(() => probeTimeout.abort());
    const probeResult = await deps.cloud
      .probe(probeTimeout.signal)
      .then((probe) => ({ ...probe, problem: null }), toFailedProbe)
      .finally(() => probeTimeout.abort());
    const environment = { server: deps.server, interfaces, wallMs: clock.wallMs() };
    const { problem, roundTripMs, clockOffsetMs } = probeResult;
    return {
      kind: 'network',
      server: deps.server,
      steps: checkConnectivity(problem ? { ok: false, problem } : { ok: true }, environment),
      interfaces,
      round_trip_ms: roundTripMs,
      clock_offset_ms: clockOffsetMs,
      now_ms: clock.wallMs(),
    };
  }

  function nowPlaying(): MenuResponse {
    const { current, next, activePlaylist, connection, heldRevision, targetRevision } = playerState.fields;
    const manifest = deps.held()?.manifest ?? null;
    const itemOf = (showing: Showing) => ({
      content_id: showing.contentId,
      item_id: showing.itemId,
      kind: showing.kind,
      playlist_id: showing.playlistId,
      playlist_name: manifest?.playlists.find((one) => one.id === showing.playlistId)?.name ?? null,
    });
    // A kept showing is explained by its own schedule, not by the one that is active now.
    const kept = findKeptShowing(playerState.fields);
    const keptSource = kept && (kept.scheduleId === null ? 'deployment' : 'schedule');
    const { scheduleId = null } = kept ?? activePlaylist ?? {};
    return {
      kind: 'playing',
      now: current && { ...itemOf(current.showing), since_ms: current.startedAtMs },
      next: next && itemOf(next),
      because: {
        source: keptSource ?? activePlaylist?.source ?? 'none',
        schedule_name: manifest?.schedules.find((one) => one.id === scheduleId)?.name ?? null,
        until_ms: activePlaylist?.untilMs ?? null,
      },
      connection,
      timezone: deps.timezone(),
      held_revision: heldRevision,
      target_revision: targetRevision,
    };
  }

  async function cache(): Promise<MenuResponse> {
    const { cacheBytes, freeBytes } = await media.usage();
    return {
      kind: 'cache',
      cache_bytes: cacheBytes,
      max_cache_bytes: deps.maxCacheBytes ?? null,
      free_bytes: freeBytes,
      files: media.cachedHashes().size,
      assets_missing: playerState.fields.assetsMissing,
    };
  }

  async function clearCache(): Promise<MenuResponse> {
    const { current, next, connection, identity } = playerState.fields;
    // Without the cloud the files could not be downloaded again.
    if (identity && connection !== 'online') {
      return refuse('cloud_unreachable');
    }
    // The current and the next file stay until the rest is downloaded again.
    await deps.clearCache(
      new Set([current?.showing.sha256, next?.sha256].filter((one) => one !== undefined)),
    );
    return { kind: 'done' };
  }

  async function perform(request: MenuRequest): Promise<MenuResponse> {
    switch (request.kind) {
      case 'open':
        lock();
        return {
          kind: 'opened',
          access: access(),
          retry_in_ms: lockedMs(),
          device_name: playerState.fields.deviceName || null,
          local_orientation: playerState.fields.localOrientation,
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
          faults: playerState.faults().map(({ code, since }) => ({ code, since_ms: Date.parse(since) })),
        };
      case 'save_logs':
        return { kind: 'logs_saved', places: await deps.supportBundle.save(deps.status(), clock.wallMs()) };
      case 'set_orientation':
        updateLocalSettings({ orientation: request.orientation });
        playerState.set({ localOrientation: request.orientation });
        return { kind: 'done' };
      case 'clear_cache':
        return clearCache();
      case 're_pair':
        deps.unpair();
        return { kind: 'done' };
      case 'restart':
        deps.restartPlayer();
        return { kind: 'done' };
      case 'reboot':
        await deps.machine.reboot();
        return { kind: 'done' };
    }
    return request satisfies never;
  }

  return {
    lock,
    async handle(request: MenuRequest): Promise<MenuResponse> {
      const denied = refusal(request.kind);
      if (denied) {
        return denied;
      }
      if (clock.monoMs() < unlockedUntilMonoMs) {
        unlockedUntilMonoMs = clock.monoMs() + UNLOCKED_MS;
      }
      if (!READ_ONLY_REQUESTS.has(request.kind) && request.kind !== 'unlock') {
        log.info({ kind: request.kind }, 'menu.request_accepted');
      }
      try {
        return await perform(request);
      } catch (error) {
        log.warn({ kind: request.kind, error: String(error) }, 'menu.request_failed');
        return { ...refuse('not_possible'), message: errorMessage(error).slice(0, 300) };
      }
    },
  };
}

type MenuRefusal = Extract<MenuResponse, { kind: 'refused' }>;

const refuse = (reason: MenuRefusal['reason'], retryInMs = 0): MenuRefusal => ({
  kind: 'refused',
  reason,
  retry_in_ms: retryInMs,
  message: '',
});

function toFailedProbe(error: unknown) {
  if (!(error instanceof Fault)) {
    throw error;
  }
  const reason = typeof error.details.reason === 'string' ? error.details.reason : null;
  return { problem: { code: error.code, reason }, roundTripMs: null, clockOffsetMs: null };
}
