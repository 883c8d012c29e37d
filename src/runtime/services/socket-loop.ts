import { negotiateProtocolVersion, Fault, PROTOCOL_VERSION, SOCKET_CLOSE } from '@placard/protocol';
import type { PushedMessage } from '@placard/protocol';
import { backoffMs } from '../../core/backoff.ts';
import { SOCKET_RETRY, socketRetryMs, STABLE_SOCKET_MS } from '../../core/socket-retry.ts';
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

  /** Runs one socket until it ends; returns how long to wait for the next one. */
  async function connectOnce(
    attempt: number,
    signal: AbortSignal,
  ): Promise<{ attempt: number; waitMs: number }> {
    const random = deps.random.next();
    const pauseMs = backoffMs(attempt, random, SOCKET_RETRY);
    let openedAtMonoMs = Number.POSITIVE_INFINITY;
    const socketAbort = new AbortController();
    try {
      const end = await deps.link.openSocket(
        {
          hello,
          onMessage(message) {
            if (message.type === 'welcome') {
              playerState.set({ cloudProtocol: message.protocol });
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
      const isReplaced = end.code === SOCKET_CLOSE.replaced;
      if (isReplaced) {
        identityFaults.raise('identity.shared');
      }
      if (!end.welcomed) {
        deps.onSocketUnavailable();
      }
      const isStable = clock.monoMs() - openedAtMonoMs >= STABLE_SOCKET_MS;
      return {
        attempt: isStable ? 0 : attempt + 1,
        waitMs: socketRetryMs({ isStable, isReplaced, retryAfterMs: end.retryAfterMs, attempt }, random),
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
