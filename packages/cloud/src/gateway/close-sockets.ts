import { retryAfterReason, SOCKET_CLOSE } from '@placard/protocol';
import type { WebSocket } from 'ws';

/** Reconnects a second that a cloud takes easily beside its other work (`docs/performance.md`). */
const RECONNECTS_PER_SECOND = 1_000;
/** Players that lose a few sockets come back within this time anyway. */
const MIN_SPREAD_MS = 5_000;
/** Other nodes are there: a player that was told to go comes back at once. */
const DRAINED_RETRY_MS = 500;

const closeWithHint = (socket: WebSocket, retryMs: number): void =>
  socket.close(SOCKET_CLOSE.goingAway, retryAfterReason(Math.round(retryMs)));

/** Closes all sockets at once; each player is told when to come back, so that they do so evenly. */
export function closeAll(sockets: ReadonlySet<WebSocket>): void {
  const spreadMs = Math.max(MIN_SPREAD_MS, (sockets.size / RECONNECTS_PER_SECOND) * 1000);
  let closed = 0;
  for (const socket of sockets) {
    closeWithHint(socket, (closed / sockets.size) * spreadMs);
    closed += 1;
  }
}

/** Closes a socket, so that its player moves to another node. */
export const closeDrained = (socket: WebSocket): void => closeWithHint(socket, DRAINED_RETRY_MS);
