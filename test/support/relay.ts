import { connect, type Socket } from 'node:net';

/** Carries bytes both ways between a socket and a server on loopback; both ends are among the open ones until they close. */
export function relay(socket: Socket, target: string, open: Set<Socket>): void {
  const { hostname, port } = new URL(target);
  const behind = connect({ host: hostname, port: Number(port) });
  for (const one of [socket, behind]) {
    open.add(one);
    one.on('error', () => {});
    one.on('close', () => {
      open.delete(one);
      socket.destroy();
      behind.destroy();
    });
  }
  socket.pipe(behind).pipe(socket);
}
