import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** Pipes bytes both ways between a socket and a server on loopback; both ends are in `openSockets` until they close. */
export function relay(socket: Socket, target: string, openSockets: Set<Socket>): void {
  const { hostname, port } = new URL(target);
  const upstream = connect({ host: hostname, port: Number(port) });
  for (const one of [socket, upstream]) {
    openSockets.add(one);
    one.on('error', () => {});
    one.on('close', () => {
      openSockets.delete(one);
      socket.destroy();
      upstream.destroy();
    });
  }
  socket.pipe(upstream).pipe(socket);
}
