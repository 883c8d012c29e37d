import { DEFAULT_DISPLAY, Fault } from '@placard/protocol';
import type { FrameCount } from '../core/health/frames.ts';
import type { Programme } from '../core/playback/programme.ts';
import { createBell } from './bell.ts';
import type { Board } from './board.ts';
import { createDeviceSession, type DeviceSession } from './device-session.ts';
import type { RuntimeDeps } from './runtime.ts';
import { pair } from './services/pairing-loop.ts';
import type { Service } from './supervisor.ts';

export interface DeviceLifeDeps extends RuntimeDeps {
  board: Board;
  /** What the screen plays by, as the disk or the cloud has given it; null: nothing. */
  held(): Programme | null;
  onHeld(programme: Programme | null): void;
  onMedia(held: ReadonlySet<string>): void;
  /** The pairing is confirmed with the name of the device until this instant of the monotonic clock. */
  onConfirm(untilMono: number): void;
  /** Video frames since the page was opened; null until it has told. */
  frames(): FrameCount['counted'];
}

export interface DeviceLife extends Service {
  readonly suspect: (sha256: string) => void;
  /** Throws away every file but these; while paired, what is wanted is fetched anew. */
  clearCache(keep: ReadonlySet<string>): Promise<void>;
  /** Ends as if the cloud had unpaired this player. */
  readonly forget: () => void;
}

/** A page that is slower than this to show its first picture, a cold start of a small box, is not waited for. */
const FIRST_PICTURE_MS = 30_000;

/** Pairs when need be, then lives as a paired device, for as long as the cloud lets it; then pairs again. */
export function createDeviceLife(deps: DeviceLifeDeps): DeviceLife {
  const { clock, store, media, board, config } = deps;
  const changed = createBell(clock);
  board.onChange(changed.ring);
  let session: DeviceSession | null = null;

  /** Picture first, network second: what is about to be shown gets the box to itself until it is on the screen. */
  async function firstPicture(signal: AbortSignal): Promise<void> {
    const deadline = clock.mono() + FIRST_PICTURE_MS;
    while (!signal.aborted && clock.mono() < deadline) {
      const { onStage, current } = board.facts;
      if (!onStage || current !== null) return;
      await changed.wait(deadline - clock.mono(), signal);
    }
  }

  /** A disk that is full to the last page takes not even this before its files are gone, which nobody needs any more. */
  async function forgetDevice(): Promise<void> {
    try {
      store.forgetDevice();
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'disk.full') throw error;
      for (const sha256 of media.held()) await media.drop(sha256);
      store.forgetDevice();
    }
  }

  /** The cloud has unpaired this player: all that it gave is erased. */
  async function erase(): Promise<void> {
    deps.log.warn({ device_id: board.facts.identity?.deviceId }, 'device.unpaired');
    deps.onHeld(null);
    await forgetDevice();
    await media.evict('all_unnamed');
    deps.onMedia(media.held());
    board.set({
      identity: null,
      confirm: null,
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
    suspect: (sha256) => session?.suspect(sha256),
    async clearCache(keep) {
      if (session) return session.clearCache(keep);
      await media.evict('all_unnamed');
      deps.onMedia(media.held());
    },
    forget: () => session?.forget(),
    async run(signal) {
      await firstPicture(signal);
      while (!signal.aborted) {
        let identity = store.readIdentity();
        const fresh = identity === null;
        const log = deps.log.child({ service: 'pairing' });
        identity ??= await pair({ ...deps, playerVersion: config.playerVersion, log }, signal);
        if (!identity || signal.aborted) return;
        board.set({ identity, pairing: null, connection: fresh ? 'online' : 'connecting' });
        session = createDeviceSession({ ...deps, held: deps.held() }, identity, fresh);
        const end = await session.run(signal);
        session = null;
        if (end === 'unpaired') await erase();
      }
    },
  };
}
