import type { DeviceConnection } from './device-connection.ts';

/**
 * Turns of the event loop over which the pings of an interval are spread: a ping takes 7 µs, so all of 50,000 sockets at
 * once would take 350 ms.
 */
export const PING_TURNS = 100;

type PingedConnection = Pick<DeviceConnection, 'isAlive' | 'pingTurn'> & {
  socket: Pick<DeviceConnection['socket'], 'isPaused' | 'ping' | 'terminate'>;
};

/** Pings sockets, each once in `PING_TURNS` turns, and drops those that have not answered the ping before. */
export function createPings() {
  const turns = Array.from({ length: PING_TURNS }, () => new Set<PingedConnection>());
  let added = 0;
  let next = 0;
  return {
    add(connection: PingedConnection): void {
      connection.pingTurn = added;
      turns[added]!.add(connection);
      added = (added + 1) % PING_TURNS;
    },
    remove(connection: PingedConnection): void {
      turns[connection.pingTurn]!.delete(connection);
    },
    /** Call it as often in each interval as there are turns. */
    pingNext(): void {
      const connections = turns[next]!;
      next = (next + 1) % PING_TURNS;
      for (const connection of connections) {
        if (!connection.isAlive) {
          connection.socket.terminate();
          continue;
        }
        // A paused socket cannot receive the pong, so it counts as alive.
        connection.isAlive = connection.socket.isPaused;
        connection.socket.ping();
      }
    },
  };
}
