import { heartbeatRequest } from '@placard/protocol';
import { playerOperations } from '@placard/protocol/api';
import type { WebSocket } from 'ws';
import { cpuMicrosAtPace } from './pace.ts';
import { cpuMicros } from './servers.ts';

const FIRST_AT_ONCE = 512;
const ACKNOWLEDGEMENT = '{"type":"heartbeat_ack"';
const REFUSAL = '{"type":"heartbeat_refused"';

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

/** The first heartbeat of each connection, which has the whole state. */
export async function sendFirstHeartbeats(sockets: readonly WebSocket[]): Promise<void> {
  const first = JSON.stringify({ type: 'heartbeat', seq: 0, samples: [], state });
  for (let start = 0; start < sockets.length; start += FIRST_AT_ONCE) {
    const some = sockets.slice(start, start + FIRST_AT_ONCE);
    const answered = some.map((socket) => untilAnswered(socket, isAcknowledgement));
    some.forEach((socket) => socket.send(first));
    await Promise.all(answered);
  }
}

export const isAcknowledgement = (received: string): boolean => received.startsWith(ACKNOWLEDGEMENT);

/** Not by `once`, which misses messages that arrive together. Rejects when the socket closes or a heartbeat is refused. */
function untilAnswered(socket: WebSocket, isAnswer: (received: string) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => socket.off('message', listen).off('close', fail);
    const fail = () => {
      stop();
      reject(new Error('the socket was closed'));
    };
    const listen = (message: Buffer) => {
      const received = message.toString('utf8');
      if (isAnswer(received)) {
        stop();
        resolve();
      } else if (received.startsWith(REFUSAL)) {
        stop();
        reject(new Error(received));
      }
    };
    socket.on('message', listen).on('close', fail);
  });
}

/** Sends a heartbeat; resolves when it is acknowledged. */
export async function sendHeartbeat(
  socket: WebSocket,
  seq: number,
  isAnswer = isAcknowledgement,
): Promise<void> {
  const answered = untilAnswered(socket, isAnswer);
  socket.send(nextHeartbeat(seq));
  await answered;
}

/** A server and the sockets that are connected to it. */
export interface SocketTarget {
  pid: number;
  sockets: readonly WebSocket[];
  isAnswer: (received: string) => boolean;
}

/** Sends heartbeats for `ms`, over the sockets in turn, `atOnce` of them at the same time. */
export async function runSocketHeartbeats(
  { pid, sockets, isAnswer }: SocketTarget,
  { ms, atOnce }: { ms: number; atOnce: number },
): Promise<{ requests: number; cpuMicrosEach: number }> {
  let sent = 0;
  let answered = 0;
  const beganMicros = cpuMicros(pid);
  const endMs = performance.now() + ms;
  await Promise.all(
    Array.from({ length: Math.min(atOnce, sockets.length) }, async () => {
      while (performance.now() < endMs) {
        const socket = sockets[sent++ % sockets.length]!;
        await sendHeartbeat(socket, sent, isAnswer);
        answered += 1;
      }
    }),
  );
  return { requests: answered, cpuMicrosEach: (cpuMicros(pid) - beganMicros) / answered };
}

/** Sends heartbeats at this rate for `ms`, over the sockets in turn. Resolves with the CPU time of the server for each. */
export async function runPacedSocketHeartbeats(
  { pid, sockets, isAnswer }: SocketTarget,
  pace: { perSecond: number; ms: number },
): Promise<number> {
  let sent = 0;
  return cpuMicrosAtPace(pid, pace, () => sendHeartbeat(sockets[sent++ % sockets.length]!, sent, isAnswer));
}
