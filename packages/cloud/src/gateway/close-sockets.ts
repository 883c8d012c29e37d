import { setTimeout as sleep } from 'node:timers/promises';
import { retryAfterReason, SOCKET_CLOSE } from '@placard/protocol';
import type { WebSocket } from 'ws';

/** Reconnects a second that a cloud takes easily beside its other work (`docs/performance.md`). */
const RECONNECTS_PER_SECOND = 1_000;
/** Players that lose a few sockets come back within this time anyway. */
const MIN_SPREAD_MS = 5_000;
const STEP_MS = 50;
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

/** Closes the sockets evenly over `ms`, so that their players move to other nodes one after the other. */
export async function closeEvenly(
  sockets: ReadonlySet<WebSocket>,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  const waiting = [...sockets];
  const total = waiting.length;
  const beganMs = performance.now();
  for (;;) {
    const due = ((performance.now() - beganMs) / ms) * total;
    while (waiting.length > 0 && total - waiting.length < due) {
      closeWithHint(waiting.pop()!, DRAINED_RETRY_MS);
    }
    // A load balancer needs the time as well when there is no socket.
    if (signal.aborted || performance.now() - beganMs >= ms) {
      return;
    }
    await sleep(Math.min(STEP_MS, ms), null, { signal }).catch(() => {});
  }
}
