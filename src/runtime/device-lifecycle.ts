import { Fault } from '@placard/protocol';
import type { Identity } from '../core/pairing/pairing-session.ts';
import type { ServiceDeps } from './base/service-deps.ts';
import { createWakeup } from './base/wakeup.ts';
import type { DeviceSession } from './device-session.ts';

interface DeviceLifecycleDeps extends Pick<
  ServiceDeps,
  'clock' | 'database' | 'media' | 'playerState' | 'onCachedMediaChange' | 'onUnpaired' | 'log'
> {
  /** Shows a pairing code and waits until it is claimed; null when the signal aborts first. */
  pair(signal: AbortSignal): Promise<Identity | null>;
  createSession(identity: Identity, isNewlyPaired: boolean): DeviceSession;
}

/** Longest wait for the page's first picture, for example at a cold start of a slow device. */
const FIRST_PICTURE_TIMEOUT_MS = 30_000;

/** Pairs unless an identity is stored, runs the device session until the device is unpaired, then pairs again. */
export function createDeviceLifecycle(deps: DeviceLifecycleDeps) {
  const { clock, database, media, playerState } = deps;
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

  async function deleteUnreferencedMedia(): Promise<void> {
    await media.evict('all_unreferenced');
    deps.onCachedMediaChange(media.cachedHashes());
  }

  /** The cloud has unpaired this player: erases everything that came from it. */
  async function eraseDevice(): Promise<void> {
    deps.log.warn({ device_id: playerState.fields.identity?.deviceId }, 'device.unpaired');
    deps.onUnpaired();
    await eraseStoredDevice();
    await deleteUnreferencedMedia();
    playerState.eraseDevice();
  }

  return {
    name: 'device',
    reverify: (sha256: string) => session?.reverify(sha256),
    /** Deletes all cached files except these; while paired, the files that are needed are downloaded again. */
    clearCache: (preserved: ReadonlySet<string>) =>
      session ? session.clearCache(preserved) : deleteUnreferencedMedia(),
    /** Ends as if the cloud had unpaired this player. */
    unpair: () => session?.unpair(),
    async run(signal: AbortSignal) {
      await waitForFirstPicture(signal);
      while (!signal.aborted) {
        const stored = database.readIdentity();
        const identity = stored ?? (await deps.pair(signal));
        if (!identity || signal.aborted) {
          return;
        }
        playerState.set({ identity, pairing: null });
        session = deps.createSession(identity, stored === null);
        const end = await session.run(signal);
        session = null;
        if (end === 'unpaired') {
          await eraseDevice();
        }
      }
    },
  };
}
