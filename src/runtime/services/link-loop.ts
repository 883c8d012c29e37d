import { commonProtocol, Fault, PROTOCOL_VERSION, SOCKET_CLOSE, type ServerMessage } from '@placard/protocol';
import { backoffMs } from '../../core/backoff.ts';
import type { Clock, DeviceLink, Log, Random } from '../../core/ports.ts';
import type { Board } from '../board.ts';
import type { Service } from '../supervisor.ts';

export interface LinkLoopDeps {
  clock: Clock;
  random: Random;
  link: DeviceLink;
  board: Board;
  playerVersion: string;
  bootId: string;
  onMessage(message: ServerMessage): void;
  /** No socket can be had; a heartbeat finds out whether the cloud is there at all. */
  onNoSocket(): void;
  onUnpaired(): void;
  log: Log;
}

export interface LinkLoop extends Service {
  readonly open: () => boolean;
}

/** Also the first wait is spread over seconds: all players of a cloud that restarts lose their sockets at once. */
const RETRY = { baseMs: 5_000, capMs: 60_000 };
/** A socket that stood for less is no better than none: a cloud that greets and closes is not called in a loop. */
const WELL_MS = 60_000;
/** Another player has this device's socket: coming back at once would only push it out in turn. */
const REPLACED_MS = 30_000;

/** A player whose socket nobody has taken for so long is the only one with its identity: two take it in turn. */
const ALONE_MS = 300_000;

/** So many types of messages are told. */
const MOST_STRANGE = 10;

/** Keeps one socket to the cloud, so that changes arrive at once. Without it the heartbeats still bring them. */
export function createLinkLoop(deps: LinkLoopDeps): LinkLoop {
  const { clock, board, log } = deps;
  let open = false;
  const ofMessages = board.voice();
  const ofIdentity = board.voice();
  /** Types of messages that this version does not know. */
  let strange: ReadonlySet<string> = new Set();

  const hello = (serverProtocol: number) => ({
    type: 'hello' as const,
    // An older cloud is spoken to in its own version; one too old for that says so by closing.
    protocol: commonProtocol(serverProtocol) ?? PROTOCOL_VERSION,
    player_version: deps.playerVersion,
    manifest_revision: board.facts.heldRevision,
    boot_id: deps.bootId,
  });

  async function takeBackWhenAlone(standing: AbortSignal): Promise<void> {
    await clock.sleep(ALONE_MS, standing);
    if (!standing.aborted) ofIdentity.clear();
  }

  /** One socket's life; tells how long to wait for the next one. */
  async function hold(attempt: number, signal: AbortSignal): Promise<{ attempt: number; waitMs: number }> {
    const pauseMs = backoffMs(attempt, deps.random.next(), RETRY);
    let openedMono = Number.POSITIVE_INFINITY;
    const standing = new AbortController();
    try {
      const end = await deps.link.listen(
        {
          hello,
          onMessage(message) {
            if (message.type === 'welcome') {
              open = true;
              strange = new Set();
              ofMessages.clear();
              openedMono = clock.mono();
              void takeBackWhenAlone(standing.signal);
              board.cloud(null);
              board.set({ connection: 'online' });
              log.info({ revision: message.manifest_revision }, 'socket.open');
            }
            deps.onMessage(message);
          },
          onUnknown(type) {
            if (strange.has(type) || strange.size >= MOST_STRANGE) return;
            strange = new Set([...strange, type]);
            ofMessages.raise('manifest.unknown', { messages: [...strange] });
            log.warn({ type }, 'socket.message_unknown');
          },
        },
        signal,
      );
      open = false;
      if (end.kind === 'unpaired') {
        deps.onUnpaired();
        return { attempt: 0, waitMs: pauseMs };
      }
      if (signal.aborted) return { attempt, waitMs: 0 };
      log.info({ code: end.code, welcomed: end.welcomed }, 'socket.closed');
      // A box drops its own socket before it opens another: whoever takes it has a copy of the identity.
      if (end.code === SOCKET_CLOSE.replaced) ofIdentity.raise('identity.shared');
      if (board.facts.connection === 'online') board.set({ connection: 'connecting' });
      if (!end.welcomed) deps.onNoSocket();
      const well = clock.mono() - openedMono >= WELL_MS;
      const waitMs = well ? backoffMs(0, deps.random.next(), RETRY) : pauseMs;
      return {
        attempt: well ? 0 : attempt + 1,
        waitMs: end.code === SOCKET_CLOSE.replaced ? REPLACED_MS + waitMs : waitMs,
      };
    } catch (error) {
      open = false;
      if (signal.aborted || !(error instanceof Fault)) throw error;
      log.debug({ code: error.code, ...error.facts }, 'socket.not_opened');
      if (board.facts.connection !== 'online') deps.onNoSocket();
      const waitMs = typeof error.retry === 'object' ? error.retry.afterMs + pauseMs : pauseMs;
      return { attempt: attempt + 1, waitMs };
    } finally {
      standing.abort();
    }
  }

  return {
    name: 'link',
    open: () => open,
    async run(signal) {
      let attempt = 0;
      while (!signal.aborted) {
        const next = await hold(attempt, signal);
        attempt = next.attempt;
        await clock.sleep(next.waitMs, signal);
      }
    },
  };
}
