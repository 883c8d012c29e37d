import {
  negotiateProtocolVersion,
  parseRetryAfterReason,
  PROTOCOL_VERSION,
  serverMessage,
  SOCKET_CLOSE,
} from '@placard/protocol';
import type { PushedMessage } from '@placard/protocol';
import { WebSocket } from 'ws';
import { createSocketHeartbeats } from '../../../src/adapters/cloud-link/socket-heartbeats.ts';
import type { SocketHeartbeats } from '../../../src/adapters/cloud-link/socket-heartbeats.ts';
import { retryAfterMs } from '../../../src/adapters/cloud-link/network-faults.ts';
import { backoffMs } from '../../../src/core/backoff.ts';
import { SOCKET_RETRY, socketRetryMs, STABLE_SOCKET_MS } from '../../../src/core/socket-retry.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import type { DeviceContext } from './context.ts';
import { PLAYER_VERSION } from '../player-version.ts';

const WELCOME_TIMEOUT_MS = 15_000;
const IDLE_TIMEOUT_MS = 75_000;
const CLOSE_TIMEOUT_MS = 1_000;

const log = createRecordingLog();

/** The socket of a device, which is opened again and again. */
export interface DeviceSocket {
  readonly heartbeats: SocketHeartbeats | null;
  readonly isConnected: boolean;
  run(signal: AbortSignal): Promise<void>;
  /** The connection ends without a close frame. */
  cut(): void;
  /** The connection ends properly. */
  close(): void;
  /** Called every few seconds: ends a connection on which nothing arrives. */
  endIfSilent(): void;
}

interface Ending {
  welcomed: boolean;
  code: number;
  /** Why it could not be opened; null: it was open. */
  error: string | null;
  afterMs: number | null;
  unpaired: boolean;
}

export function createDeviceSocket(
  device: DeviceContext,
  deps: { localAddress: string | undefined; onMessage(message: PushedMessage): void },
): DeviceSocket {
  const { clock, figures, random } = device;
  let socket: WebSocket | null = null;
  let heartbeats: SocketHeartbeats | null = null;
  let isWelcomed = false;
  let isCut = false;
  let lastReceivedMonoMs = 0;
  /** When the last socket was lost; null before the first one. */
  let lostAtMonoMs: number | null = null;

  /** Opens a socket; resolves when it has closed. */
  const openOnce = (): Promise<Ending> =>
    new Promise((resolve) => {
      const beganMs = clock.monoMs();
      const closed = new AbortController();
      const ending: Ending = { welcomed: false, code: 0, error: null, afterMs: null, unpaired: false };
      const opening = new WebSocket(`${device.server.url.replace(/^http/, 'ws')}/v1/player/socket`, {
        perMessageDeflate: false,
        headers: { authorization: `Bearer ${device.token}`, 'user-agent': `placard/${PLAYER_VERSION}` },
        ...(deps.localAddress !== undefined && { localAddress: deps.localAddress }),
      });
      socket = opening;
      isWelcomed = false;
      isCut = false;
      lastReceivedMonoMs = beganMs;
      opening.on('ping', () => {
        lastReceivedMonoMs = clock.monoMs();
      });
      opening.on('message', (data) => {
        lastReceivedMonoMs = clock.monoMs();
        const message = Buffer.isBuffer(data) ? parse(data) : null;
        if (!message) {
          figures.error('socket message not understood');
          return;
        }
        if (message.type === 'heartbeat_ack' || message.type === 'heartbeat_refused') {
          if (message.type === 'heartbeat_refused') {
            figures.error(`heartbeat refused ${message.error.code}`);
          }
          heartbeats?.receive(message);
          return;
        }
        if (message.type === 'welcome') {
          isWelcomed = true;
          ending.welcomed = true;
          figures.time('connect', clock.monoMs() - beganMs);
          if (lostAtMonoMs !== null) {
            figures.time('reconnect', clock.monoMs() - lostAtMonoMs);
            lostAtMonoMs = null;
          }
          opening.send(
            JSON.stringify({
              type: 'hello',
              protocol: negotiateProtocolVersion(message.protocol) ?? PROTOCOL_VERSION,
              player_version: PLAYER_VERSION,
              manifest_revision: device.disk.revision,
              boot_id: 'simulated',
            }),
          );
          if (message.heartbeats === true) {
            heartbeats = createSocketHeartbeats({
              clock,
              sendText: (text) => opening.send(text),
              closed: closed.signal,
              onServerTime: () => {},
              log,
            });
          }
        }
        ending.unpaired ||= message.type === 'unpaired';
        deps.onMessage(message);
      });
      opening.on('unexpected-response', (upgrade, response) => {
        ending.error = `HTTP ${response.statusCode}`;
        ending.afterMs = retryAfterMs(response.headers['retry-after'], random);
        response.resume();
        upgrade.destroy();
        opening.terminate();
      });
      opening.on('error', (error: NodeJS.ErrnoException) => {
        ending.error ??= error.code ?? error.message;
      });
      opening.on('close', (code, reason) => {
        closed.abort();
        if (code === SOCKET_CLOSE.goingAway) {
          ending.afterMs = parseRetryAfterReason(reason.toString('utf8'));
        }
        heartbeats = null;
        socket = null;
        if (isWelcomed) {
          lostAtMonoMs = clock.monoMs();
        }
        isWelcomed = false;
        resolve({ ...ending, code, unpaired: ending.unpaired || code === SOCKET_CLOSE.unpaired });
      });
    });

  return {
    get heartbeats() {
      return heartbeats;
    },
    get isConnected() {
      return isWelcomed;
    },
    async run(signal) {
      let attempt = 0;
      while (!signal.aborted) {
        const beganMs = clock.monoMs();
        const ending = await openOnce();
        if (ending.unpaired) {
          device.onUnpaired();
        }
        if (signal.aborted) {
          return;
        }
        if (!isCut) {
          figures.error(
            `socket ${ending.welcomed ? `closed ${ending.code}` : (ending.error ?? ending.code)}`,
          );
          device.moveOn();
        }
        const isStable = ending.welcomed && clock.monoMs() - beganMs >= STABLE_SOCKET_MS;
        const isReplaced = ending.code === SOCKET_CLOSE.replaced;
        const waitMs =
          ending.error === null
            ? socketRetryMs({ isStable, isReplaced, retryAfterMs: ending.afterMs, attempt }, random.next())
            : (ending.afterMs ?? 0) + backoffMs(attempt, random.next(), SOCKET_RETRY);
        attempt = isStable ? 0 : attempt + 1;
        await clock.sleep(waitMs, signal);
      }
    },
    cut() {
      isCut = true;
      socket?.terminate();
    },
    close() {
      const closing = socket;
      closing?.close(1000);
      // A peer that does not answer the close must not delay the end.
      setTimeout(() => closing?.terminate(), CLOSE_TIMEOUT_MS).unref();
    },
    endIfSilent() {
      const allowedMs = isWelcomed ? IDLE_TIMEOUT_MS : WELCOME_TIMEOUT_MS;
      if (socket && clock.monoMs() - lastReceivedMonoMs > allowedMs) {
        socket.terminate();
      }
    },
  };
}

function parse(data: Buffer) {
  try {
    return serverMessage.parse(JSON.parse(data.toString('utf8')));
  } catch {
    return null;
  }
}
