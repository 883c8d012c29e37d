import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { createDoor } from './door.ts';
import { respondWithMedia, type MediaFile } from './media-response.ts';
import { CHANNEL_TAKEN_OVER, fromStage, type FromStage, type ToStage } from './messages.ts';
import { loadPageFiles, type PageFile } from './page-files.ts';

/** The part of a pino logger that the server uses. */
export interface StageLog {
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
}

export interface StageServerDeps {
  /** Folder of the built page. */
  rendererDir: string;
  /** Secret of this launch, at least 32 characters: the value of the page's cookie. */
  session: string;
  log: StageLog;
  /** The verified file with this SHA-256, or null when the cache has none. */
  findMedia(sha256: string): Promise<MediaFile | null>;
  /** A message of the page that holds the channel. */
  onMessage(message: FromStage): void;
  /** A page took the channel (true), or none holds it any more (false). */
  onConnection(connected: boolean): void;
  /**
   * A page of this server asks for the channel without its cookie, and none holds it: the browser has lost what it
   * remembered, as when its network service dies, and this page cannot come back.
   */
  onLockedOut?(): void;
}

/** Page, media and channel on 127.0.0.1, for one page of this launch. */
export interface StageServer {
  /** Listens on this port (0: any free one) and tells which; rejects when the page is not built or the port is taken. */
  listen(port: number): Promise<number>;
  /** A one-time address that hands the cookie over and leads to the page. */
  issuePageUrl(): string;
  /** Sends to the page; without one the message is dropped, for a new page says hello and is told everything. */
  send(message: ToStage): void;
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
    // The page renews itself in a frame of its own; nobody else may hold it.
    "frame-src 'self'",
    "frame-ancestors 'self'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), display-capture=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

export function createStageServer(deps: StageServerDeps): StageServer {
  const { log } = deps;
  const door = createDoor({ session: deps.session, monoMs: () => performance.now() });
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: LARGEST_MESSAGE_BYTES,
  });
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      log.warn({ error: String(error), path: request.url }, 'stage.request_failed');
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end();
    });
  });
  let files: ReadonlyMap<string, PageFile> = new Map();
  let origin = '';
  let page: WebSocket | null = null;

  /** DNS rebinding would reach this port under a foreign name, so the name is checked before anything else. */
  const hostIsOurs = (request: IncomingMessage) => `http://${request.headers.host ?? ''}` === origin;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const refuse = (status: number, why: string) => {
      log.warn({ status, why, method: request.method }, 'stage.request_refused');
      response.writeHead(status, { 'content-length': 0 }).end();
    };
    if (!hostIsOurs(request)) return refuse(403, 'host');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return request.headers.origin === origin ? refuse(405, 'method') : refuse(403, 'origin');
    }
    const path = (request.url ?? '/').split('?', 1)[0]!;

    if (path.startsWith('/enter/')) {
      if (request.method !== 'GET' || !door.redeem(path.slice('/enter/'.length))) return refuse(403, 'pass');
      response
        .writeHead(303, { location: '/', 'set-cookie': door.cookie, 'cache-control': 'no-store' })
        .end();
      return;
    }
    if (!door.knows(request)) return refuse(401, 'cookie');

    const sha256 = /^\/media\/([0-9a-f]{64})$/.exec(path)?.[1];
    const media = sha256 === undefined ? null : await deps.findMedia(sha256);
    if (media) return respondWithMedia(request, response, media, `"${sha256}"`);

    const file = files.get(path);
    if (!file) return refuse(404, 'unknown path');
    response.writeHead(200, {
      'content-type': file.contentType,
      'content-length': file.body.length,
      'cache-control': 'no-cache',
    });
    response.end(request.method === 'HEAD' ? undefined : file.body);
  }

  function takeChannel(socket: WebSocket): void {
    const previous = page;
    page = socket;
    previous?.close(CHANNEL_TAKEN_OVER, 'a newer page took over');
    socket.on('error', (error) => log.warn({ error: String(error) }, 'stage.channel_error'));
    socket.on('message', (data, isBinary) => {
      if (page !== socket || isBinary || !Buffer.isBuffer(data)) return;
      const message = parseFromStage(data.toString('utf8'));
      if (message.kind === 'known') deps.onMessage(message.message);
      else if (message.kind === 'invalid') log.warn({ problem: message.problem }, 'stage.message_invalid');
    });
    socket.on('close', () => {
      if (page !== socket) return;
      page = null;
      log.info({}, 'stage.page_left');
      deps.onConnection(false);
    });
    log.info({ took_over: previous !== null }, 'stage.page_connected');
    deps.onConnection(true);
  }

  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const ours = request.url === '/channel' && hostIsOurs(request) && request.headers.origin === origin;
    if (!ours || !door.knows(request)) {
      if (ours && page === null) deps.onLockedOut?.();
      log.warn({ path: request.url }, 'stage.channel_refused');
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, takeChannel);
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
    issuePageUrl: () => `${origin}/enter/${door.issuePass()}`,
    send(message) {
      if (page?.readyState === 1) page.send(JSON.stringify(message));
    },
    get connected() {
      return page !== null;
    },
    async close() {
      page?.terminate();
      for (const socket of sockets.clients) socket.terminate();
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Parsed =
  { kind: 'known'; message: FromStage } | { kind: 'unknown' } | { kind: 'invalid'; problem: string };

const knownTypes = new Set<unknown>(fromStage.def.options.flatMap((option) => option.shape.type.def.values));

/** An unknown type is a newer page and no error; a known type with a wrong shape is one. */
function parseFromStage(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'invalid', problem: 'not JSON' };
  }
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (typeof type === 'string' && !knownTypes.has(type)) return { kind: 'unknown' };
  const parsed = fromStage.safeParse(value);
  return parsed.success
    ? { kind: 'known', message: parsed.data }
    : { kind: 'invalid', problem: parsed.error.message };
}
