import { negotiateProtocolVersion, Fault, PROTOCOL_VERSION, SOCKET_CLOSE } from '@placard/protocol';
import type { PushedMessage } from '@placard/protocol';
import { backoffMs } from '../../core/backoff.ts';
import type { ServiceDeps } from '../base/service-deps.ts';
import type { Service } from '../base/supervisor.ts';

interface SocketLoopDeps extends Pick<
  ServiceDeps,
  'clock' | 'random' | 'link' | 'playerState' | 'playerVersion' | 'onUnpaired' | 'log'
> {
  bootId: string;
  onMessage(message: PushedMessage): void;
  /** The socket cannot be opened; a heartbeat checks whether the cloud is reachable at all. */
  onSocketUnavailable(): void;
}

/**
 * The first wait has jitter too: when a cloud restarts, all its players lose their sockets at once. At most 45 s: a player that met
 * several nodes that were about to end shall be back within a minute.
 */
const RETRY = { baseMs: 5_000, capMs: 45_000 };
/** Added to the wait that the cloud asks for. */
const MAX_HINT_JITTER_MS = 500;
/** A socket open for less does not reset the backoff: a cloud that welcomes and closes is not called in a loop. */
const STABLE_SOCKET_MS = 20_000;
/** Another player has taken this device's socket: reconnecting at once would only replace it in turn. */
const REPLACED_MS = 30_000;

/** After this long without being replaced, the player is the only one with its identity: two would alternate. */
const UNCONTESTED_MS = 300_000;

/** Unknown message types that are reported at most. */
const MAX_UNKNOWN_TYPES = 10;

/** Keeps one socket to the cloud, so that changes arrive at once. Without it they arrive with heartbeats. */
export function createSocketLoop(deps: SocketLoopDeps): Service {
  const { clock, playerState, log } = deps;
  const messageFaults = playerState.createFaultSource();
  const identityFaults = playerState.createFaultSource();
  /** Message types unknown to this version. */
  let unknownTypes: ReadonlySet<string> = new Set();

  const hello = (serverProtocol: number) => ({
    type: 'hello' as const,
    // With an older cloud, speaks that cloud's version; one that is too old closes the socket.
    protocol: negotiateProtocolVersion(serverProtocol) ?? PROTOCOL_VERSION,
    player_version: deps.playerVersion,
    manifest_revision: playerState.fields.heldRevision,
    boot_id: deps.bootId,
  });

  async function clearSharedIdentityWhenUncontested(socketEnded: AbortSignal): Promise<void> {
    await clock.sleep(UNCONTESTED_MS, socketEnded);
    if (!socketEnded.aborted) {
      identityFaults.clear();
    }
  }

  /** A cloud that stops spreads its players over some time by what it says to each. */
  function waitAfterClose(retryAfterMs: number | null, wasStable: boolean, pauseMs: number): number {
    if (!wasStable) {
      return Math.max(retryAfterMs ?? 0, pauseMs);
    }
    return retryAfterMs === null
      ? backoffMs(0, deps.random.next(), RETRY)
      : retryAfterMs + Math.round(deps.random.next() * MAX_HINT_JITTER_MS);
  }

  /** Runs one socket until it ends; returns how long to wait for the next one. */
  async function connectOnce(
    attempt: number,
    signal: AbortSignal,
  ): Promise<{ attempt: number; waitMs: number }> {
    const pauseMs = backoffMs(attempt, deps.random.next(), RETRY);
    let openedAtMonoMs = Number.POSITIVE_INFINITY;
    const socketAbort = new AbortController();
    try {
      const end = await deps.link.openSocket(
        {
          hello,
          onMessage(message) {
            if (message.type === 'welcome') {
              unknownTypes = new Set();
              messageFaults.clear();
              openedAtMonoMs = clock.monoMs();
              void clearSharedIdentityWhenUncontested(socketAbort.signal);
              playerState.cloud.onSocketOpened();
              log.info({ revision: message.manifest_revision }, 'socket.opened');
            }
            deps.onMessage(message);
          },
          onUnknown(type) {
            if (unknownTypes.has(type) || unknownTypes.size >= MAX_UNKNOWN_TYPES) {
              return;
            }
            unknownTypes = new Set([...unknownTypes, type]);
            messageFaults.raise('manifest.unknown', { messages: [...unknownTypes] });
            log.warn({ type }, 'socket.message_skipped');
          },
        },
        signal,
      );
      playerState.cloud.onSocketClosed();
      if (end.kind === 'unpaired') {
        deps.onUnpaired();
        return { attempt: 0, waitMs: pauseMs };
      }
      if (signal.aborted) {
        return { attempt, waitMs: 0 };
      }
      log.info({ code: end.code, welcomed: end.welcomed }, 'socket.closed');
      // A device closes its own socket before it opens another: a replacement means a copy of the identity.
      if (end.code === SOCKET_CLOSE.replaced) {
        identityFaults.raise('identity.shared');
      }
      if (!end.welcomed) {
        deps.onSocketUnavailable();
      }
      const wasStable = clock.monoMs() - openedAtMonoMs >= STABLE_SOCKET_MS;
      const waitMs = waitAfterClose(end.retryAfterMs, wasStable, pauseMs);
      return {
        attempt: wasStable ? 0 : attempt + 1,
        waitMs: end.code === SOCKET_CLOSE.replaced ? REPLACED_MS + waitMs : waitMs,
      };
    } catch (error) {
      if (signal.aborted || !(error instanceof Fault)) {
        playerState.cloud.onSocketClosed();
        throw error;
      }
      log.debug({ code: error.code, ...error.details }, 'socket.open_failed');
      if (playerState.fields.connection !== 'online') {
        deps.onSocketUnavailable();
      }
      const waitMs = typeof error.retry === 'object' ? error.retry.afterMs + pauseMs : pauseMs;
      return { attempt: attempt + 1, waitMs };
    } finally {
      socketAbort.abort();
    }
  }

  return {
    name: 'socket',
    async run(signal) {
      let attempt = 0;
      while (!signal.aborted) {
        const next = await connectOnce(attempt, signal);
        attempt = next.attempt;
        await clock.sleep(next.waitMs, signal);
      }
    },
  };
}
