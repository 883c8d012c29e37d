import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  commandStatusRequest,
  heartbeatRequest,
  pairingStartRequest,
  play,
  playerMessage,
  type CommandStatusRequest,
  type HeartbeatRequest,
  type Manifest,
  type Play,
  type PlayerMessage,
  type ServerMessage,
  type WireCommand,
} from '@placard/protocol';
import { WebSocketServer, type WebSocket } from 'ws';
import { z } from 'zod';

/** What a route answers when the script of a test takes it over. */
export type Script = (request: IncomingMessage, response: ServerResponse) => void;

/** The request never arrives; or it is taken, and the answer never arrives. */
export type Loses = (path: string) => 'request' | 'answer' | null;

/** A cloud on loopback that speaks the player's wire and does as the test says. */
export interface FakeCloud {
  readonly url: string;
  /** Adds media bytes; answers with what a manifest says of them. */
  addMedia(bytes: Buffer | string): { sha256: string; size: number; url: string };
  setManifest(manifest: Manifest): void;
  /** Confirms the code that is shown. */
  confirm(): void;
  /** From now on the device token is worth nothing. */
  unpair(): void;
  command(command: WireCommand): void;
  /** Sends this over every socket, whatever it is. */
  say(message: object): void;
  /** Closes all sockets. */
  dropSockets(code?: number): void;
  /** Takes over every request whose path begins so, until it is given null. */
  script(pathPrefix: string, script: Script | null): void;
  /** What the line loses of a request to this path, until it is given null. */
  losing(loses: Loses | null): void;
  /** Stops listening; connections are cut. */
  stop(): Promise<void>;
  /** Listens again on the same port. */
  start(): Promise<void>;
  readonly seen: {
    pairings: number;
    polls: number;
    manifests: number;
    heartbeats: HeartbeatRequest[];
    /** Each play as it came first. */
    plays: Play[];
    /** Every play as often as it came. */
    deliveries: Play[];
    statuses: { id: string; status: CommandStatusRequest }[];
    hellos: PlayerMessage[];
    mediaRequests: { path: string; range: string | null }[];
    authorization: Set<string>;
    /** When each connection was opened, in milliseconds since 1970. */
    connections: number[];
  };
  readonly sockets: number;
  now(): number;
}

const send = (response: ServerResponse, status: number, body: unknown, headers = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};
const ok = (response: ServerResponse, data: unknown, status = 200, headers = {}) =>
  send(response, status, { success: true, data }, headers);
const fail = (response: ServerResponse, status: number, code: string) =>
  send(response, status, { success: false, error: { code, message: code } });

const tell = (ws: WebSocket, message: ServerMessage) => ws.send(JSON.stringify(message));

const LOSES_NOTHING: Loses = () => null;
const playsBody = z.object({ plays: z.array(play) });

export async function startFakeCloud(
  options: { now?: () => number; interval?: number } = {},
): Promise<FakeCloud> {
  const now = options.now ?? (() => Date.now());
  const media = new Map<string, Buffer>();
  const scripts = new Map<string, Script>();
  const commands: WireCommand[] = [];
  let loses = LOSES_NOTHING;
  const playIds = new Set<string>();
  const pairing = { id: 'pair_1', pollToken: 'poll-secret', confirmed: false };
  let token = '';
  let manifest: Manifest | null = null;
  let port = 0;
  const seen: FakeCloud['seen'] = {
    pairings: 0,
    polls: 0,
    manifests: 0,
    heartbeats: [],
    plays: [],
    deliveries: [],
    statuses: [],
    hellos: [],
    mediaRequests: [],
    authorization: new Set(),
    connections: [],
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('date', new Date(now()).toUTCString());
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    for (const [prefix, script] of scripts) if (path.startsWith(prefix)) return script(request, response);
    if (path.startsWith('/media/')) return serveMedia(path, request, response);
    const body = await bodyOf(request);
    const lost = loses(path);
    if (lost) response.destroy();
    if (lost === 'request') return;
    if (path === '/v1/player/pairing') {
      pairingStartRequest.parse(body);
      seen.pairings += 1;
      return ok(response, {
        pairing_id: pairing.id,
        poll_token: pairing.pollToken,
        code: 'BCD-FGH',
        verification_url: `${url()}/pair`,
        verification_url_complete: `${url()}/pair?code=BCD-FGH`,
        expires_at: new Date(now() + 900_000).toISOString(),
        interval: options.interval ?? 1,
      });
    }
    if (path === `/v1/player/pairing/${pairing.id}/token`) {
      seen.polls += 1;
      if (!pairing.confirmed)
        return ok(response, { status: 'pending', interval: options.interval ?? 1 }, 202);
      token ||= randomBytes(8).toString('hex');
      return ok(response, { device_id: 'dev_1', device_token: token });
    }
    seen.authorization.add(request.headers.authorization ?? '');
    if (token === '' || request.headers.authorization !== `Bearer ${token}`) {
      return fail(response, 401, 'DEVICE_UNPAIRED');
    }
    if (path === '/v1/player/manifest') {
      seen.manifests += 1;
      if (!manifest) return fail(response, 503, 'UNAVAILABLE');
      const etag = `"${manifest.revision}"`;
      if (request.headers['if-none-match'] === etag) {
        response.writeHead(304, { etag }).end();
        return;
      }
      return ok(response, manifest, 200, { etag });
    }
    if (path === '/v1/player/heartbeats') {
      seen.heartbeats.push(heartbeatRequest.parse(body));
      return ok(response, {
        server_time: new Date(now()).toISOString(),
        manifest_revision: manifest?.revision ?? 'none',
        commands,
        next_heartbeat_in: 60,
      });
    }
    if (path === '/v1/player/plays') {
      const { plays: taken } = playsBody.parse(body);
      seen.deliveries.push(...taken);
      for (const one of taken) if (!playIds.has(one.id)) seen.plays.push(one);
      for (const one of taken) playIds.add(one.id);
      return ok(response, { accepted: taken.map((one) => one.id), rejected: [] });
    }
    const command = /^\/v1\/player\/commands\/([^/]+)\/status$/.exec(path)?.[1];
    if (command !== undefined) {
      const index = commands.findIndex((one) => one.id === command);
      if (index >= 0) commands.splice(index, 1);
      seen.statuses.push({ id: command, status: commandStatusRequest.parse(body) });
      return ok(response, {});
    }
    return fail(response, 404, 'ROUTE_NOT_FOUND');
  }

  function serveMedia(path: string, request: IncomingMessage, response: ServerResponse): void {
    const range = request.headers.range ?? null;
    seen.mediaRequests.push({ path, range });
    const bytes = media.get(path.slice('/media/'.length));
    if (!bytes) return fail(response, 404, 'CONTENT_NOT_FOUND');
    const from = range === null ? 0 : Number(/bytes=(\d+)-/.exec(range)?.[1] ?? 0);
    const headers = { etag: `"${path}"`, 'content-length': bytes.length - from };
    if (range === null) response.writeHead(200, headers);
    else {
      response.writeHead(206, {
        ...headers,
        'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}`,
      });
    }
    response.end(bytes.subarray(from));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) fail(response, 500, `FAKE_CLOUD_${String(error)}`);
    });
  });
  server.on('connection', () => seen.connections.push(Date.now()));
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (request, socket, head) => {
    const script = scripts.get('/v1/player/socket');
    if (script || request.headers.authorization !== `Bearer ${token}`) {
      socket.end(`HTTP/1.1 ${script ? 403 : 401} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      ws.on('message', (data: Buffer) => {
        const message = playerMessage.parse(JSON.parse(data.toString('utf8')));
        if (message.type === 'hello') seen.hellos.push(message);
      });
      tell(ws, {
        type: 'welcome',
        protocol: 1,
        server_time: new Date(now()).toISOString(),
        manifest_revision: manifest?.revision ?? 'none',
        heartbeat_interval: 60,
      });
    });
  });
  const tellAll = (message: ServerMessage) => {
    for (const ws of sockets.clients) tell(ws, message);
  };
  const url = () => `http://127.0.0.1:${port}`;
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host: '127.0.0.1' }, () => {
        const address = server.address();
        server.off('error', reject);
        if (typeof address === 'object' && address) port = address.port;
        resolve();
      });
    });
  await listen();

  return {
    get url() {
      return url();
    },
    addMedia(content) {
      const bytes = Buffer.from(content);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      media.set(sha256, bytes);
      return { sha256, size: bytes.length, url: `${url()}/media/${sha256}` };
    },
    setManifest(next) {
      manifest = next;
      tellAll({ type: 'manifest_changed', revision: next.revision });
    },
    confirm() {
      pairing.confirmed = true;
    },
    unpair() {
      token = '';
      pairing.confirmed = false;
      for (const ws of sockets.clients) ws.close(4401);
    },
    command(command) {
      commands.push(command);
      tellAll({ type: 'command', command });
    },
    say(message) {
      for (const ws of sockets.clients) ws.send(JSON.stringify(message));
    },
    dropSockets(code = 1001) {
      for (const ws of sockets.clients) ws.close(code);
    },
    script(pathPrefix, script) {
      if (script) scripts.set(pathPrefix, script);
      else scripts.delete(pathPrefix);
    },
    losing(next) {
      loses = next ?? LOSES_NOTHING;
    },
    async stop() {
      for (const ws of sockets.clients) ws.terminate();
      if (!server.listening) return;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
    start: listen,
    seen,
    get sockets() {
      return sockets.clients.size;
    },
    now,
  };
}

/** Ids of plays that came again as something else than before. */
export const toldDifferently = (cloud: FakeCloud): string[] => {
  const first = new Map(cloud.seen.plays.map((one) => [one.id, one]));
  return cloud.seen.deliveries.flatMap((one) => (isDeepStrictEqual(one, first.get(one.id)) ? [] : one.id));
};

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? null : JSON.parse(text);
}
