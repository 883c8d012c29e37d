import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { createSessionAuth } from './session-auth.ts';
import { respondWithMedia } from './media-response.ts';
import type { MediaFile } from './media-response.ts';
import { CHANNEL_TAKEN_OVER, fromStageMessage } from '@placard/protocol/stage';
import type { FromStageMessage, ToStageMessage } from '@placard/protocol/stage';
import { loadPageFiles } from './page-files.ts';
import type { PageFile } from './page-files.ts';

/** The part of a pino logger that the server uses. */
export interface StageLog {
  info(details: object, event: string): void;
  warn(details: object, event: string): void;
}

/** Serves page, media and channel on 127.0.0.1, for one page of this launch. */
export interface StageServer {
  /** Listens on this port (0: any free one) and returns it; rejects when the page is not built or the port is taken. */
  listen(port: number): Promise<number>;
  /** A one-time launch URL that sets the cookie and redirects to the page. */
  issuePageUrl(): string;
  /** Sends to the page; dropped without one, because a new page sends `hello` and then gets the full state. */
  send(message: ToStageMessage): void;
  readonly connected: boolean;
  close(): Promise<void>;
}

const LARGEST_MESSAGE_BYTES = 64 * 1024;

const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' blob:",
    "media-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    // The page reloads itself in an inner frame; no other origin may embed it.
    "frame-src 'self'",
    "frame-ancestors 'self'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), display-capture=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

export function createStageServer(deps: {
  /** Folder of the built page. */
  rendererDir: string;
  /** Session secret of this launch, at least 32 characters: the value of the page's cookie. */
  session: string;
  log: StageLog;
  /** The verified file with this SHA-256, or null when it is not cached. */
  findMedia(sha256: string): Promise<MediaFile | null>;
  /** A message of the page that has the channel. */
  onMessage(message: FromStageMessage): void;
  /** A page has connected (true), or none is connected any more (false). */
  onConnection(connected: boolean): void;
  /**
   * A page of this server requests the channel without its cookie, and none has the channel: the browser has lost its
   * cookies, for example because its network service crashed, and this page cannot reconnect.
   */
  onCookieLost?(): void;
}): StageServer {
  const { log } = deps;
  const sessionAuth = createSessionAuth({ session: deps.session, monoMs: () => performance.now() });
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: LARGEST_MESSAGE_BYTES,
  });
  const server = createServer((request, response) => {
    handleRequest(request, response).catch((error: unknown) => {
      log.warn({ error: String(error), path: request.url }, 'stage.request_failed');
      if (response.headersSent) {
        response.destroy();
      } else {
        response.writeHead(500).end();
      }
    });
  });
  let files: ReadonlyMap<string, PageFile> = new Map();
  let origin = '';
  let page: WebSocket | null = null;

  /** DNS rebinding would reach this port under a foreign name, so the Host header is checked first. */
  const isOwnHost = (request: IncomingMessage) => `http://${request.headers.host ?? ''}` === origin;

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
      response.setHeader(name, value);
    }
    const refuse = (status: number, why: string) => {
      log.warn({ status, why, method: request.method }, 'stage.request_rejected');
      response.writeHead(status, { 'content-length': 0 }).end();
    };
    if (!isOwnHost(request)) {
      return refuse(403, 'host');
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return request.headers.origin === origin ? refuse(405, 'method') : refuse(403, 'origin');
    }
    const path = (request.url ?? '/').split('?', 1)[0]!;

    if (path.startsWith('/enter/')) {
      if (request.method !== 'GET' || !sessionAuth.redeem(path.slice('/enter/'.length))) {
        return refuse(403, 'pass');
      }
      response
        .writeHead(303, {
          location: '/',
          'set-cookie': sessionAuth.setCookieHeader,
          'cache-control': 'no-store',
        })
        .end();
      return;
    }
    if (!sessionAuth.isAuthenticated(request)) {
      return refuse(401, 'cookie');
    }

    const sha256 = /^\/media\/([0-9a-f]{64})$/.exec(path)?.[1];
    const media = sha256 === undefined ? null : await deps.findMedia(sha256);
    if (media) {
      return respondWithMedia(request, response, media, `"${sha256}"`);
    }

    const file = files.get(path);
    if (!file) {
      return refuse(404, 'unknown path');
    }
    response.writeHead(200, {
      'content-type': file.contentType,
      'content-length': file.body.length,
      'cache-control': 'no-cache',
    });
    response.end(request.method === 'HEAD' ? undefined : file.body);
  }

  function attachPage(socket: WebSocket): void {
    const previous = page;
    page = socket;
    previous?.close(CHANNEL_TAKEN_OVER, 'a newer page took over');
    socket.on('error', (error) => log.warn({ error: String(error) }, 'stage.channel_failed'));
    socket.on('message', (data, isBinary) => {
      if (page !== socket || isBinary || !Buffer.isBuffer(data)) {
        return;
      }
      const message = parseFromStageMessage(data.toString('utf8'));
      if (message.kind === 'known') {
        deps.onMessage(message.message);
      } else if (message.kind === 'invalid') {
        log.warn({ problem: message.problem }, 'stage.message_rejected');
      }
    });
    socket.on('close', () => {
      if (page !== socket) {
        return;
      }
      page = null;
      log.info({}, 'stage.page_disconnected');
      deps.onConnection(false);
    });
    log.info({ took_over: previous !== null }, 'stage.page_connected');
    deps.onConnection(true);
  }

  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const isOwnPage = request.url === '/channel' && isOwnHost(request) && request.headers.origin === origin;
    if (!isOwnPage || !sessionAuth.isAuthenticated(request)) {
      if (isOwnPage && page === null) {
        deps.onCookieLost?.();
      }
      log.warn({ path: request.url }, 'stage.channel_rejected');
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, attachPage);
  });

  return {
    async listen(port) {
      files = await loadPageFiles(deps.rendererDir);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
          server.off('error', reject);
          resolve();
        });
      });
      const address = server.address();
      const chosen = typeof address === 'object' && address ? address.port : port;
      origin = `http://127.0.0.1:${chosen}`;
      return chosen;
    },
    issuePageUrl: () => `${origin}/enter/${sessionAuth.issueLaunchToken()}`,
    send(message) {
      if (page?.readyState === 1) {
        page.send(JSON.stringify(message));
      }
    },
    get connected() {
      return page !== null;
    },
    async close() {
      page?.terminate();
      for (const socket of sockets.clients) {
        socket.terminate();
      }
      if (!server.listening) {
        return;
      }
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Parsed =
  { kind: 'known'; message: FromStageMessage } | { kind: 'unknown' } | { kind: 'invalid'; problem: string };

const knownTypes = new Set<unknown>(
  fromStageMessage.def.options.flatMap((option) => option.shape.type.def.values),
);

/** An unknown type comes from a newer page and is not an error; a known type with a wrong shape is one. */
function parseFromStageMessage(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'invalid', problem: 'not JSON' };
  }
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (typeof type === 'string' && !knownTypes.has(type)) {
    return { kind: 'unknown' };
  }
  const parsed = fromStageMessage.safeParse(value);
  return parsed.success
    ? { kind: 'known', message: parsed.data }
    : { kind: 'invalid', problem: parsed.error.message };
}
