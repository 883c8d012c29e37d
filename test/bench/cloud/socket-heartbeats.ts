/** Server CPU of a heartbeat over the socket of a device, beside a bare `ws` server that returns the same bytes. */
import type { WebSocket } from 'ws';
import type { Figure } from '../figures.ts';
import { median } from '../median.ts';
import type { Settings } from '../settings.ts';
import { connectDevices } from './connect-devices.ts';
import { startFleet } from './fleet.ts';
import { cpuMicros, startBareServer } from './servers.ts';

const DEVICES = 5_000;
const ROUNDS = 3;
/** Sockets that wait for an answer at the same time. */
const AT_ONCE = 64;

/** A heartbeat as the player and the cloud put it on the socket. */
export interface HeartbeatOnSocket {
  /** The message, different each time. */
  message(nowMs: number): string;
  /** Whether what the cloud sends acknowledges it; other messages are ignored. */
  isAcknowledgement(received: string): boolean;
}

/** Not by `once`, which misses messages that arrive together. */
function untilAnswered(socket: WebSocket, isAnswer: (received: string) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const listen = (message: Buffer) => {
      if (isAnswer(message.toString('utf8'))) {
        socket.off('message', listen);
        resolve();
      }
    };
    socket.on('message', listen);
  });
}

/** Sends heartbeats for `ms`, over many sockets in turn; server CPU of each in microseconds. */
export async function runHeartbeats(
  pid: number,
  sockets: readonly WebSocket[],
  { ms, next, isAnswer }: { ms: number; next: () => string; isAnswer: (received: string) => boolean },
): Promise<number> {
  let turn = 0;
  let answered = 0;
  const beganMicros = cpuMicros(pid);
  const endMs = performance.now() + ms;
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, sockets.length) }, async () => {
      while (performance.now() < endMs) {
        const socket = sockets[turn++ % sockets.length]!;
        const received = untilAnswered(socket, isAnswer);
        socket.send(next());
        await received;
        answered += 1;
      }
    }),
  );
  return (cpuMicros(pid) - beganMicros) / answered;
}

export async function measureSocketHeartbeats(
  settings: Settings,
  heartbeat: HeartbeatOnSocket,
): Promise<Figure[]> {
  const fleet = await startFleet(settings.count(DEVICES));
  const bare = await startBareServer('echo');
  try {
    const tokens = fleet.devices.map(({ token }) => token);
    const bareDevices = await connectDevices(bare.url, tokens);
    const ourDevices = await connectDevices(fleet.cloud.url, tokens);
    const load = { ms: settings.ms, next: () => heartbeat.message(Date.now()) };
    const rounds = [];
    for (let round = 0; round < settings.rounds(ROUNDS); round++) {
      rounds.push({
        bare: await runHeartbeats(bare.pid, bareDevices.sockets, { ...load, isAnswer: () => true }),
        ours: await runHeartbeats(fleet.cloud.pid, ourDevices.sockets, {
          ...load,
          isAnswer: (received) => heartbeat.isAcknowledgement(received),
        }),
      });
    }
    bareDevices.close();
    ourDevices.close();
    return [
      {
        name: 'heartbeat over the socket, server CPU',
        ours: median(rounds.map(({ ours }) => ours)),
        unit: 'µs',
        limit: { name: 'bare ws', value: median(rounds.map((round) => round.bare)) },
        goal: 2.5,
      },
    ];
  } finally {
    bare.stop();
    await fleet.stop();
  }
}
