/**
 * Server CPU of a heartbeat over the socket of a device, beside a bare `ws` server that returns the same bytes, and one
 * that also stores them.
 * `npm run bench:socket-heartbeats`.
 */
import { heartbeatRequest } from '@placard/protocol';
import { playerOperations } from '@placard/protocol/api';
import type { WebSocket } from 'ws';
import type { Figure } from '../figures.ts';
import { median } from '../median.ts';
import type { Settings } from '../settings.ts';
import { connectDevices } from './connect-devices.ts';
import { startFleet } from './fleet.ts';
import { cpuMicros, startBareServer } from './servers.ts';

const DEVICES = 5_000;
const MIN_DEVICES = 500;
const ROUNDS = 3;
/** Sockets that wait for an answer at the same time: more than the heartbeats of one transaction. */
const AT_ONCE = 512;

const ACKNOWLEDGEMENT = '{"type":"heartbeat_ack"';

const {
  samples: [sample],
  state,
} = heartbeatRequest.parse(playerOperations.sendHeartbeats.example.body);

/** A heartbeat as players send it: one sample, and what has changed since the heartbeat before. */
const nextHeartbeat = (seq: number): string =>
  JSON.stringify({
    type: 'heartbeat',
    seq,
    samples: [{ ...sample, measured_at: new Date().toISOString() }],
    changes: { uptime_seconds: 60 * seq, current: state.current, frames: { drawn: 3600 * seq, dropped: 0 } },
  });

/** The first heartbeat of each connection, which has the whole state, and makes the device online. */
async function sendFirst(sockets: readonly WebSocket[]): Promise<void> {
  const first = JSON.stringify({ type: 'heartbeat', seq: 0, samples: [], state });
  for (let start = 0; start < sockets.length; start += AT_ONCE) {
    const some = sockets.slice(start, start + AT_ONCE);
    const answered = some.map((socket) => untilAnswered(socket, isAcknowledgement));
    some.forEach((socket) => socket.send(first));
    await Promise.all(answered);
  }
}

const isAcknowledgement = (received: string): boolean => received.startsWith(ACKNOWLEDGEMENT);

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

/** A server and the sockets that are connected to it. */
interface Target {
  pid: number;
  sockets: readonly WebSocket[];
  isAnswer: (received: string) => boolean;
}

/** Sends heartbeats for `ms`, over many sockets in turn; server CPU of each in microseconds. */
async function runHeartbeats({ pid, sockets, isAnswer }: Target, ms: number): Promise<number> {
  let sent = 0;
  let answered = 0;
  const beganMicros = cpuMicros(pid);
  const endMs = performance.now() + ms;
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, sockets.length) }, async () => {
      while (performance.now() < endMs) {
        const socket = sockets[sent++ % sockets.length]!;
        const received = untilAnswered(socket, isAnswer);
        socket.send(nextHeartbeat(sent));
        await received;
        answered += 1;
      }
    }),
  );
  return (cpuMicros(pid) - beganMicros) / answered;
}

export async function measureSocketHeartbeats(settings: Settings): Promise<Figure[]> {
  // Not fewer: each device may send 300 messages in 30 s.
  const fleet = await startFleet(Math.max(MIN_DEVICES, settings.count(DEVICES)));
  const bare = await startBareServer('echo');
  const storing = await startBareServer('echo', 'stored');
  try {
    const tokens = fleet.devices.map(({ token }) => token);
    const connect = async (url: string) => (await connectDevices(url, tokens)).sockets;
    const toBare = { pid: bare.pid, sockets: await connect(bare.url), isAnswer: () => true };
    const toStoring = { pid: storing.pid, sockets: await connect(storing.url), isAnswer: () => true };
    const toOurs = {
      pid: fleet.cloud.pid,
      sockets: await connect(fleet.cloud.url),
      isAnswer: isAcknowledgement,
    };
    await sendFirst(toOurs.sockets);
    const { ms } = settings;
    const rounds = [];
    for (let round = 0; round < settings.rounds(ROUNDS); round++) {
      rounds.push({
        bare: await runHeartbeats(toBare, ms),
        storing: await runHeartbeats(toStoring, ms),
        ours: await runHeartbeats(toOurs, ms),
      });
    }
    const ours = median(rounds.map((round) => round.ours));
    return [
      {
        name: 'heartbeat over the socket, server CPU',
        ours,
        unit: 'µs',
        limit: { name: 'bare ws', value: median(rounds.map((round) => round.bare)) },
        goal: 2.5,
      },
      {
        name: '… beside one that stores them',
        ours,
        unit: 'µs',
        limit: { name: 'ws and raw SQLite', value: median(rounds.map((round) => round.storing)) },
        goal: null,
      },
    ];
  } finally {
    bare.stop();
    storing.stop();
    await fleet.stop();
  }
}
