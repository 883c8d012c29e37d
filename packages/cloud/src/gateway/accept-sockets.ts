import type { Server } from 'node:http';
import { ApiError } from '../domain/api-error.ts';
import { rejectSocket } from '../http-server/reject-socket.ts';
import { SOCKET_PATH } from './socket-hub.ts';
import type { createSocketHub } from './socket-hub.ts';

/** Hands WebSockets of players to the hub, and rejects those at other paths. */
export function acceptSockets(
  server: Server,
  hub: Pick<ReturnType<typeof createSocketHub>, 'handleUpgrade'>,
  deps: Parameters<typeof rejectSocket>[2],
): void {
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    if (request.url?.split('?')[0] === SOCKET_PATH) {
      void hub.handleUpgrade(request, socket, head);
    } else {
      rejectSocket(socket, new ApiError('ROUTE_NOT_FOUND', 'There is no WebSocket at this path.'), deps);
    }
  });
}
