import { once } from 'node:events';
import { Agent, createServer, request as sendRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createReadiness } from './readiness.ts';

/** A request that a node has answered, or not, because it ended. WebSockets are opened by such a request. */
export interface ProxiedRequest {
  node: number;
  method: string;
  path: string;
  /** Null: the node ended before. */
  status: number | null;
  retryAfter: string | null;
  /** By `performance.now()`. */
  startedMs: number;
  /** Until the end of the answer; of a WebSocket until its beginning. */
  ms: number;
}

/** A WebSocket that a node has accepted. */
export interface ProxiedSocket {
  node: number;
  /** The header `Authorization`: whose it is. */
  authorization: string;
}

export interface RoundRobinProxyOptions {
  /** The addresses of the nodes, of which none needs to be there yet. */
  nodes: readonly string[];
  onRequest?: (request: ProxiedRequest) => void;
  onSocket?: (socket: ProxiedSocket) => void;
}

/** Each device has connections of its own, and a process may open a limited number of files. */
const KEEP_ALIVE_MS = 1_000;

/** A load balancer on loopback: each request and each WebSocket goes to the next node that answers `/readyz`. */
export interface RoundRobinProxy {
  readonly url: string;
  /** The open WebSockets. */
  readonly sockets: ReadonlySet<ProxiedSocket>;
  /** The numbers of the nodes that it knows to be ready. */
  readyNodes(): number[];
  close(): Promise<void>;
}

interface Exchange {
  request: IncomingMessage;
  startedMs: number;
  /** Names and values in turn: those of the request, and the address of the client. */
  headers: string[];
}

/**
 * Starts one. As other load balancers it sends a request again only when the node did not accept the connection. Without
 * a node that is ready all get requests, because their answers say when to come again.
 */
export async function startRoundRobinProxy(options: RoundRobinProxyOptions): Promise<RoundRobinProxy> {
  const { nodes, onRequest, onSocket } = options;
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const readiness = createReadiness(nodes);
  const sockets = new Set<ProxiedSocket>();
  const openStreams = new Set<Duplex>();
  let turn = 0;

  /** The numbers of the nodes, the next one first. */
  const nextNodes = (): number[] => {
    const ready = readiness.readyNodes();
    const usable = ready.length > 0 ? ready : nodes.map((_, index) => index);
    turn += 1;
    return usable.map((_, index) => usable[(turn + index) % usable.length]!);
  };

  const report = (
    { request, startedMs }: Exchange,
    node: number,
    status: number | null,
    retryAfter: string | null = null,
  ): void =>
    onRequest?.({
      node,
      method: request.method ?? '',
      path: request.url ?? '',
      status,
      retryAfter,
      startedMs,
      ms: performance.now() - startedMs,
    });

  function forward(exchange: Exchange, response: ServerResponse, [node, ...others]: readonly number[]): void {
    if (node === undefined) {
      response.writeHead(502).end();
      return;
    }
    const { request, headers } = exchange;
    const outgoing = sendRequest(`${nodes[node]}${request.url}`, { agent, method: request.method, headers });
    // Not before, so that nothing of the body is lost when another node gets it.
    outgoing.once('socket', (socket) => {
      if (socket.connecting) {
        socket.once('connect', () => request.pipe(outgoing));
      } else {
        request.pipe(outgoing);
      }
    });
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, withoutConnection(answer.rawHeaders));
      answer.pipe(response);
      answer.once('end', () =>
        report(exchange, node, answer.statusCode ?? null, answer.headers['retry-after'] ?? null),
      );
      answer.once('error', () => {
        report(exchange, node, null);
        response.destroy();
      });
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') {
        forward(exchange, response, others);
      } else if (!response.headersSent && !response.destroyed) {
        report(exchange, node, null);
        response.writeHead(502).end();
      }
    });
    // The client is gone.
    response.once('close', () => outgoing.destroy());
  }

  function forwardSocket(exchange: Exchange, client: Socket, [node, ...others]: readonly number[]): void {
    if (node === undefined) {
      client.destroy();
      return;
    }
    const { request, headers } = exchange;
    const { hostname, port } = new URL(nodes[node]!);
    const upstream = connect(Number(port), hostname);
    openStreams.add(upstream);
    let socket: ProxiedSocket | null = null;
    let isConnected = false;
    upstream.once('connect', () => {
      isConnected = true;
      upstream.write(`${request.method} ${request.url} HTTP/1.1\r\n${headerLines(headers)}\r\n`);
      client.pipe(upstream).pipe(client);
    });
    client.once('close', () => upstream.destroy());
    upstream.once('data', (bytes) => {
      const head = bytes.toString('latin1');
      const status = Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1]);
      report(exchange, node, status, /^retry-after: (.*)$/im.exec(head)?.[1] ?? null);
      if (status === 101) {
        socket = { node, authorization: request.headers.authorization ?? '' };
        sockets.add(socket);
        onSocket?.(socket);
      }
    });
    upstream.on('error', () => {});
    upstream.once('close', () => {
      openStreams.delete(upstream);
      if (socket) {
        sockets.delete(socket);
      }
      if (isConnected || client.destroyed) {
        client.destroy();
      } else {
        forwardSocket(exchange, client, others);
      }
    });
  }

  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) =>
    forward(begin(request), response, nextNodes()),
  );
  server.on('upgrade', (request: IncomingMessage, client: Socket, head: Buffer) => {
    openStreams.add(client);
    client.on('error', () => {}).once('close', () => openStreams.delete(client));
    client.unshift(head);
    forwardSocket(begin(request), client, nextNodes());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    sockets,
    readyNodes: () => readiness.readyNodes(),
    async close() {
      readiness.stop();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      openStreams.forEach((stream) => stream.destroy());
      agent.destroy();
      await closed;
    },
  };
}

const begin = (request: IncomingMessage): Exchange => ({
  request,
  startedMs: performance.now(),
  headers: [...request.rawHeaders, 'X-Forwarded-For', request.socket.remoteAddress ?? ''],
});

/** Without what a node says of its own connection to the proxy. */
const withoutConnection = (headers: readonly string[]): string[] =>
  headers.filter((_, index) => {
    const name = headers[index - (index % 2)]!.toLowerCase();
    return name !== 'connection' && name !== 'keep-alive';
  });

function headerLines(headers: readonly string[]): string {
  let lines = '';
  for (let index = 0; index < headers.length; index += 2) {
    lines += `${headers[index]}: ${headers[index + 1]}\r\n`;
  }
  return lines;
}
