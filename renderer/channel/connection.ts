import type { ConnectionEvents } from './channel.ts';

const dial = () => new WebSocket(`ws://${location.host}/channel`);

/** Dialled at once, while the rest of the page is still being read: import this module before all others. */
let dialled: WebSocket | null = dial();

/** A connection to the runtime that this page came from. */
export function connect(on: ConnectionEvents): WebSocket {
  const socket = dialled ?? dial();
  dialled = null;
  socket.addEventListener('open', () => on.open());
  socket.addEventListener('message', ({ data }) => on.message(data));
  socket.addEventListener('close', ({ code }) => on.close(code));
  // The page was so slow to get here that nobody heard it open.
  if (socket.readyState === WebSocket.OPEN) queueMicrotask(() => on.open());
  return socket;
}
