import type { ConnectionEvents } from './channel.ts';

const openSocket = () => new WebSocket(`ws://${location.host}/channel`);

/** Opened while the rest of the page is still loading: import this module before all others. */
let earlySocket: WebSocket | null = openSocket();

/** Connects to the runtime that served this page. */
export function connect(events: ConnectionEvents): WebSocket {
  const socket = earlySocket ?? openSocket();
  earlySocket = null;
  socket.addEventListener('open', () => events.open());
  socket.addEventListener('message', ({ data }) => events.message(data));
  socket.addEventListener('close', ({ code }) => events.close(code));
  // The socket has opened before there was a listener.
  if (socket.readyState === WebSocket.OPEN) {
    queueMicrotask(() => events.open());
  }
  return socket;
}
