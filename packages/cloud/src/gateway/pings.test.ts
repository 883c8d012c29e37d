import { expect, test } from 'vitest';
import { createPings, PING_TURNS } from './pings.ts';

/** Pings that are sent to so many sockets, which answer unless their number is in `silent`. */
function pingAll(count: number, silent: ReadonlySet<number> = new Set()) {
  const pings = createPings();
  const sent: number[] = [];
  const terminated: number[] = [];
  const connections = Array.from({ length: count }, (_, number) => {
    const connection = {
      isAlive: true,
      pingTurn: 0,
      socket: {
        isPaused: false,
        ping() {
          sent.push(number);
          // The pong.
          connection.isAlive ||= !silent.has(number);
        },
        terminate: () => void terminated.push(number),
      },
    };
    pings.add(connection);
    return connection;
  });
  /** The numbers of the sockets pinged in each turn of an interval. */
  const interval = () =>
    Array.from({ length: PING_TURNS }, () => {
      sent.length = 0;
      pings.pingNext();
      return [...sent];
    });
  return { pings, connections, terminated, interval };
}

test('each socket is pinged once in an interval, at the same time of each, and few in one turn', () => {
  const { interval } = pingAll(50_000);
  const first = interval();
  expect(Math.max(...first.map((sent) => sent.length))).toBe(500);
  expect(new Set(first.flat()).size).toBe(50_000);
  expect(interval()).toEqual(first);
});

const turnOf = (turns: readonly (readonly number[])[], number: number): number =>
  turns.findIndex((sent) => sent.includes(number));

test('sockets keep their turns when others close, and have all the interval for their answer', () => {
  const { pings, connections, interval } = pingAll(1_000);
  const before = interval();
  connections.slice(0, 990).forEach((each) => pings.remove(each));
  const after = interval();
  expect(after.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, n) => 990 + n));
  for (let number = 990; number < 1_000; number++) {
    expect(turnOf(after, number)).toBe(turnOf(before, number));
  }
});

test('a socket that has not answered is dropped at its next ping, unless it is paused', () => {
  const { connections, terminated, interval } = pingAll(3, new Set([1, 2]));
  connections[2]!.socket.isPaused = true;
  interval();
  expect(terminated).toEqual([]);
  interval();
  expect(terminated).toEqual([1]);
});
