import type { Agent } from 'node:http';
import { Fault, parseRetryAfterReason, serverMessage, SOCKET_CLOSE } from '@placard/protocol';
import type { ServerMessage } from '@placard/protocol';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { parseJson } from '../../core/parse-json.ts';
import type { Log, SocketCloseResult, SocketHandlers } from '../../core/ports.ts';
import type { CloudHttpDeps } from './http.ts';
import { createTunnelAgent, openTunnel, proxyFor } from './proxy.ts';
import type { ProxySettings } from './proxy.ts';
import { lenientAcknowledgement, readCommands } from './heartbeat-response.ts';
import { createSocketHeartbeats } from './socket-heartbeats.ts';
import type { SocketHeartbeats } from './socket-heartbeats.ts';
import { retryAfterMs, toNetworkFault } from './network-faults.ts';

interface SocketDeps
  extends SocketHandlers, Pick<CloudHttpDeps, 'playerVersion' | 'clock' | 'random' | 'onServerTime'> {
  /** `ws://…/v1/player/socket`. */
  url: string;
  token: string;
  proxies: ProxySettings;
  /** The cloud takes heartbeats on this socket. */
  onHeartbeats(heartbeats: SocketHeartbeats): void;
  log: Log;
}

/** The welcome must arrive within this time: a proxy may swallow the upgrade request or hold it for ever. */
const WELCOME_TIMEOUT_MS = 15_000;
/** The cloud pings every 30 s; a longer silence means a dead connection that was never closed. */
const IDLE_TIMEOUT_MS = 75_000;
const MAX_MESSAGE_BYTES = 256 * 1024;

/**
 * Runs one socket from opening to close. The server speaks first; only after its welcome is the connection accepted
 * as one to a Placard cloud, and answered. Throws `Fault` when the socket could not be opened.
 */
export async function runSocket(deps: SocketDeps, signal: AbortSignal): Promise<SocketCloseResult> {
  const target = new URL(deps.url);
  const proxy = proxyFor(target, deps.proxies);
  return runWebSocket(
    deps,
    proxy ? createTunnelAgent(await openTunnel(proxy, target, signal), target) : null,
    signal,
  );
}

function runWebSocket(
  deps: SocketDeps,
  agent: Agent | null,
  signal: AbortSignal,
): Promise<SocketCloseResult> {
  const { clock, log } = deps;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      return resolve({ kind: 'closed', code: 1000, welcomed: false, retryAfterMs: null });
    }
    const began = performance.now();
    const socket = new WebSocket(deps.url, {
      ...(agent ? { agent } : {}),
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      headers: { authorization: `Bearer ${deps.token}`, 'user-agent': `placard/${deps.playerVersion}` },
    });
    let welcomed = false;
    let failure: Fault | null = null;
    let unpaired = false;
    const closed = new AbortController();
    let heartbeats: SocketHeartbeats | null = null;
    let lastReceivedMonoMs = clock.monoMs();
    const noteReceived = () => {
      lastReceivedMonoMs = clock.monoMs();
    };
    const remainingMs = () =>
      lastReceivedMonoMs + (welcomed ? IDLE_TIMEOUT_MS : WELCOME_TIMEOUT_MS) - clock.monoMs();
    async function terminateWhenSilent(): Promise<void> {
      while (!closed.signal.aborted && remainingMs() > 0) {
        await clock.sleep(remainingMs(), closed.signal);
      }
      if (closed.signal.aborted) {
        return;
      }
      failure ??= new Fault('cloud.unreachable', 'later', { path: '/v1/player/socket', reason: 'ETIMEDOUT' });
      socket.terminate();
    }
    void terminateWhenSilent();
    const stop = () => {
      socket.close(1000);
      // A peer that does not answer the close must not delay the player.
      setTimeout(() => socket.terminate(), 1_000).unref();
    };
    signal.addEventListener('abort', stop, { once: true });

    socket.on('ping', noteReceived);
    socket.on('message', (data, isBinary) => {
      noteReceived();
      const message = isBinary || !Buffer.isBuffer(data) ? null : parse(data.toString('utf8'), log);
      if (message === null || typeof message === 'string') {
        log.debug({ type: message }, 'socket.message_ignored');
        if (welcomed && message !== null) {
          deps.onUnknown?.(message);
        }
        return;
      }
      if (message.type === 'heartbeat_ack' || message.type === 'heartbeat_refused') {
        heartbeats?.receive(message);
        return;
      }
      if (!welcomed && message.type !== 'unpaired') {
        if (message.type !== 'welcome') {
          return;
        }
        welcomed = true;
        deps.onServerTime(Date.parse(message.server_time), performance.now() - began);
        socket.send(JSON.stringify(deps.hello(message.protocol)));
        if (message.heartbeats) {
          heartbeats = createSocketHeartbeats({
            ...deps,
            sendText: (text) => socket.send(text),
            closed: closed.signal,
          });
          deps.onHeartbeats(heartbeats);
        }
      }
      if (message.type === 'unpaired') {
        unpaired = true;
      }
      deps.onMessage(message);
    });
    socket.on('unexpected-response', (upgrade, response) => {
      const status = response.statusCode ?? 0;
      const details = { path: '/v1/player/socket', status };
      const waitMs = retryAfterMs(response.headers['retry-after'], deps.random);
      const code = status === 429 || status === 503 ? 'cloud.busy' : 'cloud.refused';
      failure = new Fault(code, waitMs === null ? 'later' : { afterMs: waitMs }, details);
      // The reason for a refused upgrade is left to the next plain request, which can read the whole body.
      response.resume();
      upgrade.destroy();
      socket.terminate();
    });
    socket.on('error', (error) => {
      failure ??= toNetworkFault(error, { path: '/v1/player/socket' });
    });
    socket.on('close', (code, reason) => {
      closed.abort();
      signal.removeEventListener('abort', stop);
      if (unpaired || code === SOCKET_CLOSE.unpaired) {
        return resolve({ kind: 'unpaired' });
      }
      if (failure && !welcomed && !signal.aborted) {
        return reject(failure);
      }
      const retryAfterMs =
        code === SOCKET_CLOSE.goingAway ? parseRetryAfterReason(reason.toString('utf8')) : null;
      return resolve({ kind: 'closed', code, welcomed, retryAfterMs });
    });
  });
}

const KNOWN_TYPES: ReadonlySet<string> = new Set(
  serverMessage.options.map((message) => message.shape.type.value),
);
const anyMessage = z.object({ type: z.string().max(100) });

/** The message; its type when this version does not know it; null when it is not a message. */
function parse(text: string, log: Log): ServerMessage | string | null {
  const json = parseJson(text);
  const known = serverMessage.safeParse(json).data;
  if (known) {
    return known;
  }
  const acknowledgement = lenientAcknowledgement.safeParse(json).data;
  if (acknowledgement) {
    return { ...acknowledgement, commands: readCommands(acknowledgement.commands, log) };
  }
  const type = anyMessage.safeParse(json).data?.type;
  return type === undefined || KNOWN_TYPES.has(type) ? null : type;
}
