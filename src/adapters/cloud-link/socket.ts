import type { Agent } from 'node:http';
import {
  Fault,
  serverMessage,
  SOCKET_CLOSE,
  type PlayerMessage,
  type ServerMessage,
} from '@placard/protocol';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { Clock, Log, Random, SocketEnd } from '../../core/ports.ts';
import { agentOver, openTunnel, proxyFor, type ProxySettings } from './proxy.ts';
import { retryAfterMs, translateNetwork } from './translate.ts';

export interface SocketDeps {
  /** `ws://…/v1/player/socket`. */
  url: string;
  token: string;
  playerVersion: string;
  proxies: ProxySettings;
  clock: Pick<Clock, 'mono' | 'sleep'>;
  random: Pick<Random, 'next'>;
  hello(serverProtocol: number): PlayerMessage;
  onMessage(message: ServerMessage): void;
  /** A message of a type that this version does not know was passed over. */
  onUnknown?(type: string): void;
  onServerTime(serverMs: number, roundTripMs: number): void;
  log: Log;
}

/** The greeting must be there by then; a proxy may swallow the call for a socket, or hold it for ever. */
const GREETING_MS = 15_000;
/** The cloud pings every 30 s; silence for longer than this is a dead line that nobody has closed. */
const SILENCE_MS = 75_000;
const LARGEST_MESSAGE_BYTES = 256 * 1024;

/**
 * One socket from its opening to its end. The server speaks first; only then is the line taken for one to a
 * Placard cloud and answered. Throws `Fault` when the socket could not be opened.
 */
export async function holdSocket(deps: SocketDeps, signal: AbortSignal): Promise<SocketEnd> {
  const target = new URL(deps.url);
  const proxy = proxyFor(target, deps.proxies);
  return hold(deps, proxy ? agentOver(await openTunnel(proxy, target, signal), target) : null, signal);
}

function hold(deps: SocketDeps, agent: Agent | null, signal: AbortSignal): Promise<SocketEnd> {
  const { clock, log } = deps;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve({ kind: 'closed', code: 1000, welcomed: false });
    const began = performance.now();
    const socket = new WebSocket(deps.url, {
      ...(agent ? { agent } : {}),
      perMessageDeflate: false,
      maxPayload: LARGEST_MESSAGE_BYTES,
      headers: { authorization: `Bearer ${deps.token}`, 'user-agent': `placard/${deps.playerVersion}` },
    });
    let welcomed = false;
    let failure: Fault | null = null;
    let unpaired = false;
    const closed = new AbortController();
    let heardMono = clock.mono();
    const heard = () => {
      heardMono = clock.mono();
    };
    async function endWhenSilent(): Promise<void> {
      const restMs = () => heardMono + (welcomed ? SILENCE_MS : GREETING_MS) - clock.mono();
      while (!closed.signal.aborted && restMs() > 0) await clock.sleep(restMs(), closed.signal);
      if (closed.signal.aborted) return;
      failure ??= new Fault('cloud.unreachable', 'later', { path: '/v1/player/socket', reason: 'ETIMEDOUT' });
      socket.terminate();
    }
    void endWhenSilent();
    const stop = () => {
      socket.close(1000);
      // A peer that does not answer the close must not hold the player up.
      setTimeout(() => socket.terminate(), 1_000).unref();
    };
    signal.addEventListener('abort', stop, { once: true });

    socket.on('ping', heard);
    socket.on('message', (data, isBinary) => {
      heard();
      const message = isBinary || !Buffer.isBuffer(data) ? null : parse(data.toString('utf8'));
      if (message === null || typeof message === 'string') {
        log.debug({ type: message }, 'socket.message_ignored');
        if (welcomed && message !== null) deps.onUnknown?.(message);
        return;
      }
      if (!welcomed && message.type !== 'unpaired') {
        if (message.type !== 'welcome') return;
        welcomed = true;
        deps.onServerTime(Date.parse(message.server_time), performance.now() - began);
        socket.send(JSON.stringify(deps.hello(message.protocol)));
      }
      if (message.type === 'unpaired') unpaired = true;
      deps.onMessage(message);
    });
    socket.on('unexpected-response', (upgrade, response) => {
      const status = response.statusCode ?? 0;
      const facts = { path: '/v1/player/socket', status };
      const waitMs = retryAfterMs(response.headers['retry-after'], deps.random);
      const code = status === 429 || status === 503 ? 'cloud.busy' : 'cloud.refused';
      failure = new Fault(code, waitMs === null ? 'later' : { afterMs: waitMs }, facts);
      // What an error answer of an upgrade says is left to the next plain request, which can read it whole.
      response.resume();
      upgrade.destroy();
      socket.terminate();
    });
    socket.on('error', (error) => {
      failure ??= translateNetwork(error, { path: '/v1/player/socket' });
    });
    socket.on('close', (code) => {
      closed.abort();
      signal.removeEventListener('abort', stop);
      if (unpaired || code === SOCKET_CLOSE.unpaired) return resolve({ kind: 'unpaired' });
      if (failure && !welcomed && !signal.aborted) return reject(failure);
      return resolve({ kind: 'closed', code, welcomed });
    });
  });
}

const KNOWN: ReadonlySet<string> = new Set(serverMessage.options.map((message) => message.shape.type.value));
const anyMessage = z.object({ type: z.string().max(100) });

/** A message; the type of one that this version does not know; null for what is none at all. */
function parse(text: string): ServerMessage | string | null {
  try {
    const json: unknown = JSON.parse(text);
    const known = serverMessage.safeParse(json).data;
    if (known) return known;
    const type = anyMessage.safeParse(json).data?.type;
    return type === undefined || KNOWN.has(type) ? null : type;
  } catch {
    return null;
  }
}
