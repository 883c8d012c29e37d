import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  commandStatusRequest,
  heartbeatRequest,
  liveAnswer,
  logsUpload,
  pairingStartRequest,
  play,
  playerMessage,
  screenshotUpload,
} from '@placard/protocol';
import type {
  CommandStatusRequest,
  HeartbeatRequest,
  LiveAnswer,
  LogsUpload,
  Manifest,
  Play,
  PlayerMessage,
  ServerMessage,
  SocketHeartbeat,
  WireCommand,
  ScreenshotUpload,
} from '@placard/protocol';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import { createFakeMedia } from './fake-media.ts';
import { freePort } from './free-port.ts';

/** Handles the requests of a route in place of the fake cloud. */
export type RouteHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** `request`: the request never arrives; `response`: it is processed, but the response never arrives. */
export type LossRule = (path: string) => 'request' | 'response' | null;

/** A cloud on loopback that speaks the player's protocol and behaves as the test configures it. */
export interface FakeCloud {
  readonly url: string;
  /** Adds media bytes; returns the fields of the manifest's asset. */
  addMedia(bytes: Buffer | string): { sha256: string; size: number; url: string };
  setManifest(manifest: Manifest): void;
  /** Confirms the pairing code that is shown. */
  confirmPairing(): void;
  /** Makes the device token invalid. */
  unpair(): void;
  sendCommand(command: WireCommand): void;
  /** Sends this message over every socket, valid or not. */
  broadcast(message: object): void;
  /** Whether sockets take heartbeats, and how they are answered: `none` is a cloud that does not know of them. */
  socketHeartbeats: 'none' | 'acknowledge' | 'refuse' | 'ignore';
  /** Closes all sockets. */
  dropSockets(code?: number): void;
  /** Replaces the handler of every request whose path begins with the prefix; null restores it. */
  handleRoute(pathPrefix: string, script: RouteHandler | null): void;
  /** Decides which requests or responses are lost; null: none. */
  setLossRule(loses: LossRule | null): void;
  /** Stops listening and cuts connections. */
  stop(): Promise<void>;
  /** Listens again on the same port. */
  start(): Promise<void>;
  readonly received: {
    pairingStarts: number;
    pairingPolls: number;
    manifestRequests: number;
    /** By HTTP. */
    heartbeats: HeartbeatRequest[];
    socketHeartbeats: SocketHeartbeat[];
    /** Each play as it first arrived. */
    plays: Play[];
    /** Every delivery of every play, duplicates included. */
    playDeliveries: Play[];
    commandStatuses: { id: string; status: CommandStatusRequest }[];
    screenshots: ScreenshotUpload[];
    logs: LogsUpload[];
    liveAnswers: LiveAnswer[];
    helloMessages: PlayerMessage[];
    mediaRequests: { path: string; range: string | null }[];
    authorizationHeaders: Set<string>;
    /** When each connection was opened, in milliseconds since 1970. */
    connectionTimesMs: number[];
  };
  readonly socketCount: number;
  nowMs(): number;
}

const sendJson = (response: ServerResponse, status: number, body: unknown, headers = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};
const sendSuccess = (response: ServerResponse, data: unknown, status = 200, headers = {}) =>
  sendJson(response, status, { success: true, data }, headers);
const sendError = (response: ServerResponse, status: number, code: string) =>
  sendJson(response, status, { success: false, error: { code, message: code } });

const sendMessage = (ws: WebSocket, message: ServerMessage) => ws.send(JSON.stringify(message));

const NO_LOSS: LossRule = () => null;
const playsBody = z.object({ plays: z.array(play) });

export async function startFakeCloud(
  options: { nowMs?: () => number; pollIntervalSeconds?: number } = {},
): Promise<FakeCloud> {
  const nowMs = options.nowMs ?? (() => Date.now());
  const media = createFakeMedia();
  const routeHandlers = new Map<string, RouteHandler>();
  const commands: WireCommand[] = [];
  let lossRule = NO_LOSS;
  let socketHeartbeats: FakeCloud['socketHeartbeats'] = 'none';
  const playIds = new Set<string>();
  const pairing = { id: 'pair_1', pollToken: 'poll-secret', confirmed: false };
  let token = '';
  let manifest: Manifest | null = null;
  const port = await freePort();
  const received: FakeCloud['received'] = {
    pairingStarts: 0,
    pairingPolls: 0,
    manifestRequests: 0,
    heartbeats: [],
    socketHeartbeats: [],
    plays: [],
    playDeliveries: [],
    commandStatuses: [],
    screenshots: [],
    logs: [],
    liveAnswers: [],
    helloMessages: [],
    mediaRequests: media.requests,
    authorizationHeaders: new Set(),
    connectionTimesMs: [],
  };

  const heartbeatResponse = () => ({
    server_time: new Date(nowMs()).toISOString(),
    manifest_revision: manifest?.revision ?? 'none',
    commands,
    next_heartbeat_in: 60,
  });

  function answerHeartbeat(ws: WebSocket, message: SocketHeartbeat): void {
    received.socketHeartbeats.push(message);
    const { seq } = message;
    if (socketHeartbeats === 'acknowledge') {
      sendMessage(ws, { type: 'heartbeat_ack', seq, ...heartbeatResponse() });
    } else if (socketHeartbeats === 'refuse') {
      sendMessage(ws, { type: 'heartbeat_refused', seq, error: { code: 'UNAVAILABLE', message: 'full' } });
    }
  }

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('date', new Date(nowMs()).toUTCString());
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    for (const [prefix, handler] of routeHandlers) {
      if (path.startsWith(prefix)) {
        return handler(request, response);
      }
    }
    if (path.startsWith('/media/')) {
      if (!media.serve(path, request, response)) {
        sendError(response, 404, 'CONTENT_NOT_FOUND');
      }
      return;
    }
    const body = await readJsonBody(request);
    const loss = lossRule(path);
    if (loss) {
      response.destroy();
    }
    if (loss === 'request') {
      return;
    }
    if (path === '/v1/player/pairing') {
      pairingStartRequest.parse(body);
      received.pairingStarts += 1;
      return sendSuccess(response, {
        pairing_id: pairing.id,
        poll_token: pairing.pollToken,
        code: 'BCD-FGH',
        verification_url: `${url()}/pair`,
        verification_url_complete: `${url()}/pair?code=BCD-FGH`,
        expires_at: new Date(nowMs() + 900_000).toISOString(),
        interval: options.pollIntervalSeconds ?? 1,
      });
    }
    if (path === `/v1/player/pairing/${pairing.id}/token`) {
      received.pairingPolls += 1;
      if (!pairing.confirmed) {
        return sendSuccess(response, { status: 'pending', interval: options.pollIntervalSeconds ?? 1 }, 202);
      }
      token ||= randomBytes(8).toString('hex');
      return sendSuccess(response, { device_id: 'dev_1', device_token: token });
    }
    received.authorizationHeaders.add(request.headers.authorization ?? '');
    if (token === '' || request.headers.authorization !== `Bearer ${token}`) {
      return sendError(response, 401, 'DEVICE_UNPAIRED');
    }
    if (path === '/v1/player/manifest') {
      received.manifestRequests += 1;
      if (!manifest) {
        return sendError(response, 503, 'UNAVAILABLE');
      }
      const etag = `"${manifest.revision}"`;
      if (request.headers['if-none-match'] === etag) {
        response.writeHead(304, { etag }).end();
        return;
      }
      return sendSuccess(response, manifest, 200, { etag });
    }
    if (path === '/v1/player/heartbeats') {
      received.heartbeats.push(heartbeatRequest.parse(body));
      return sendSuccess(response, heartbeatResponse());
    }
    if (path === '/v1/player/plays') {
      const { plays: receivedPlays } = playsBody.parse(body);
      received.playDeliveries.push(...receivedPlays);
      for (const one of receivedPlays) {
        if (!playIds.has(one.id)) {
          received.plays.push(one);
        }
      }
      for (const one of receivedPlays) {
        playIds.add(one.id);
      }
      return sendSuccess(response, { accepted: receivedPlays.map((one) => one.id), rejected: [] });
    }
    if (path === '/v1/player/screenshots') {
      received.screenshots.push(screenshotUpload.parse(body));
      return sendSuccess(response, {});
    }
    if (path === '/v1/player/logs') {
      received.logs.push(logsUpload.parse(body));
      return sendSuccess(response, {});
    }
    if (path === '/v1/player/live') {
      received.liveAnswers.push(liveAnswer.parse(body));
      return sendSuccess(response, {});
    }
    const command = /^\/v1\/player\/commands\/([^/]+)\/status$/.exec(path)?.[1];
    if (command !== undefined) {
      const index = commands.findIndex((one) => one.id === command);
      if (index >= 0) {
        commands.splice(index, 1);
      }
      received.commandStatuses.push({ id: command, status: commandStatusRequest.parse(body) });
      return sendSuccess(response, {});
    }
    return sendError(response, 404, 'ROUTE_NOT_FOUND');
  }

  const server = createServer((request, response) => {
    handleRequest(request, response).catch((error: unknown) => {
      if (!response.headersSent) {
        sendError(response, 500, `FAKE_CLOUD_${String(error)}`);
      }
    });
  });
  server.on('connection', () => received.connectionTimesMs.push(Date.now()));
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (request, socket, head) => {
    const script = routeHandlers.get('/v1/player/socket');
    if (script || request.headers.authorization !== `Bearer ${token}`) {
      socket.end(`HTTP/1.1 ${script ? 403 : 401} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      ws.on('message', (data: Buffer) => {
        const message = playerMessage.parse(JSON.parse(data.toString('utf8')));
        if (message.type === 'hello') {
          received.helloMessages.push(message);
        } else {
          answerHeartbeat(ws, message);
        }
      });
      sendMessage(ws, {
        type: 'welcome',
        protocol: 1,
        server_time: new Date(nowMs()).toISOString(),
        manifest_revision: manifest?.revision ?? 'none',
        heartbeat_interval: 60,
        ...(socketHeartbeats === 'none' ? {} : { heartbeats: true }),
      });
    });
  });
  const broadcastMessage = (message: ServerMessage) => {
    for (const ws of sockets.clients) {
      sendMessage(ws, message);
    }
  };
  const url = () => `http://127.0.0.1:${port}`;
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host: '127.0.0.1' }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  await listen();

  return {
    get url() {
      return url();
    },
    addMedia(content) {
      const { path, ...added } = media.add(content);
      return { ...added, url: `${url()}${path}` };
    },
    setManifest(next) {
      manifest = next;
      broadcastMessage({ type: 'manifest_changed', revision: next.revision });
    },
    confirmPairing() {
      pairing.confirmed = true;
    },
    unpair() {
      token = '';
      pairing.confirmed = false;
      for (const ws of sockets.clients) {
        ws.close(4401);
      }
    },
    sendCommand(command) {
      commands.push(command);
      broadcastMessage({ type: 'command', command });
    },
    broadcast(message) {
      for (const ws of sockets.clients) {
        ws.send(JSON.stringify(message));
      }
    },
    get socketHeartbeats() {
      return socketHeartbeats;
    },
    set socketHeartbeats(value) {
      socketHeartbeats = value;
    },
    dropSockets(code = 1001) {
      for (const ws of sockets.clients) {
        ws.close(code);
      }
    },
    handleRoute(pathPrefix, script) {
      if (script) {
        routeHandlers.set(pathPrefix, script);
      } else {
        routeHandlers.delete(pathPrefix);
      }
    },
    setLossRule(next) {
      lossRule = next ?? NO_LOSS;
    },
    async stop() {
      for (const ws of sockets.clients) {
        ws.terminate();
      }
      if (!server.listening) {
        return;
      }
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
    start: listen,
    received,
    get socketCount() {
      return sockets.clients.size;
    },
    nowMs,
  };
}

/** Ids of plays that were sent again with different contents. */
export const playsResentWithChanges = (cloud: FakeCloud): string[] => {
  const first = new Map(cloud.received.plays.map((one) => [one.id, one]));
  return cloud.received.playDeliveries.flatMap((one) =>
    isDeepStrictEqual(one, first.get(one.id)) ? [] : one.id,
  );
};

async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? null : JSON.parse(text);
}
