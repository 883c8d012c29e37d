import { DEFAULT_DISPLAY, Fault } from '@placard/protocol';
import type { FrameCount } from '../core/health/frames.ts';
import type { CompiledManifest } from '../core/playback/compiled-manifest.ts';
import { createWakeup } from './base/wakeup.ts';
import type { PlayerState } from './base/player-state.ts';
import { createDeviceSession } from './device-session.ts';
import type { DeviceSession } from './device-session.ts';
import type { RuntimeDeps } from './runtime-deps.ts';
import { pair } from './services/pairing-loop.ts';
import type { Service } from './base/supervisor.ts';

export interface DeviceLifecycleDeps extends RuntimeDeps {
  playerState: PlayerState;
  /** The manifest that the player shows from, loaded from disk or fetched; null: none. */
  held(): CompiledManifest | null;
  onHeldManifest(compiledManifest: CompiledManifest | null): void;
  onCachedMediaChange(cached: ReadonlySet<string>): void;
  /** The screen shows the pairing confirmation with the device name until this monotonic time. */
  onPairingConfirmation(untilMonoMs: number): void;
  /** Video frames since the page was opened; null until the page has reported. */
  frames(): FrameCount['total'];
}

export interface DeviceLifecycle extends Service {
  readonly reverify: (sha256: string) => void;
  /** Deletes all cached files except these; while paired, the files that are needed are downloaded again. */
  clearCache(preserved: ReadonlySet<string>): Promise<void>;
  /** Ends as if the cloud had unpaired this player. */
  readonly unpair: () => void;
}

/** Longest wait for the page's first picture, for example at a cold start of a slow device. */
const FIRST_PICTURE_TIMEOUT_MS = 30_000;

/** Pairs unless an identity is stored, runs the device session until the device is unpaired, then pairs again. */
export function createDeviceLifecycle(deps: DeviceLifecycleDeps): DeviceLifecycle {
  const { clock, database, media, playerState, config } = deps;
  const stateWakeup = createWakeup(clock);
  playerState.onChange(stateWakeup.wake);
  let session: DeviceSession | null = null;

  /** Delays all networking until the first picture is on the screen, so that showing it gets the CPU and the disk. */
  async function waitForFirstPicture(signal: AbortSignal): Promise<void> {
    const deadlineMonoMs = clock.monoMs() + FIRST_PICTURE_TIMEOUT_MS;
    while (!signal.aborted && clock.monoMs() < deadlineMonoMs) {
      const { hasSomethingToShow, current } = playerState.fields;
      if (!hasSomethingToShow || current !== null) {
        return;
      }
      await stateWakeup.wait(deadlineMonoMs - clock.monoMs(), signal);
    }
  }

  /** A completely full disk may not even accept the erase; deleting the cached files, no longer needed, makes room. */
  async function eraseStoredDevice(): Promise<void> {
    try {
      database.eraseDevice();
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'disk.full') {
        throw error;
      }
      for (const sha256 of media.cachedHashes()) {
        await media.remove(sha256);
      }
      database.eraseDevice();
    }
  }

  /** The cloud has unpaired this player: erases everything that came from it. */
  async function eraseDevice(): Promise<void> {
    deps.log.warn({ device_id: playerState.fields.identity?.deviceId }, 'device.unpaired');
    deps.onHeldManifest(null);
    await eraseStoredDevice();
    await media.evict('all_unreferenced');
    deps.onCachedMediaChange(media.cachedHashes());
    playerState.set({
      identity: null,
      confirmation: null,
      connection: 'connecting',
      heldRevision: null,
      targetRevision: null,
      blockedBy: null,
      assetsMissing: 0,
      deviceName: '',
      orientation: config.orientation ?? 'landscape',
      display: DEFAULT_DISPLAY,
    });
  }

  return {
    name: 'device',
    reverify: (sha256) => session?.reverify(sha256),
    async clearCache(preserved) {
      if (session) {
        return session.clearCache(preserved);
      }
      await media.evict('all_unreferenced');
      deps.onCachedMediaChange(media.cachedHashes());
    },
    unpair: () => session?.unpair(),
    async run(signal) {
      await waitForFirstPicture(signal);
      while (!signal.aborted) {
        let identity = database.readIdentity();
        const isNewlyPaired = identity === null;
        const log = deps.log.child({ service: 'pairing' });
        identity ??= await pair({ ...deps, playerVersion: config.playerVersion, log }, signal);
        if (!identity || signal.aborted) {
          return;
        }
        playerState.set({ identity, pairing: null, connection: isNewlyPaired ? 'online' : 'connecting' });
        session = createDeviceSession({ ...deps, held: deps.held() }, identity, isNewlyPaired);
        const end = await session.run(signal);
        session = null;
        if (end === 'unpaired') {
          await eraseDevice();
        }
      }
    },
  };
}
