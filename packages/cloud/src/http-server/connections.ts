import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { addressGroup } from './client-address.ts';
import type { ClientAddresses } from './client-address.ts';

export const DEFAULT_CONNECTION_LIMITS = {
  /**
   * Unauthenticated connections from one IPv4 address, or one /64 of IPv6: as many as can be accepted in one burst, before
   * any of them could authenticate.
   */
  perAddress: 512,
  /** Unauthenticated connections in total. */
  anonymous: 4_096,
  /** Connections of one device or one API key; event streams have a limit of their own. */
  perCaller: 256,
  /** Time limit for the request headers. */
  headersTimeoutMs: 10_000,
  /** Time limit for a body, plus one second per 4 kB received. Uploads have their own stall check. */
  bodyTimeoutMs: 20_000,
  /**
   * A connection is dropped when its client reads nothing of a response for this long; after the first such period, also
   * when it has read less than 4 kB/s.
   */
  stallTimeoutMs: 60_000,
  /** Unsent response bytes buffered for one address, device or key. */
  unsentBytes: 64 * 2 ** 20,
  /** Unsent response bytes buffered for all unauthenticated connections together. */
  unsentAnonymousBytes: 256 * 2 ** 20,
};
export type ConnectionLimits = typeof DEFAULT_CONNECTION_LIMITS;

/** Slowest link that is still served; the player uses the same minimum. */
const MIN_BYTES_PER_MS = 4;
const WARN_EVERY_MS = 60_000;
/** Unanswered requests per connection; each holds its headers in memory. Browsers and HTTP libraries do not pipeline. */
const MAX_PIPELINED_REQUESTS = 2;

interface TrackedConnection {
  socket: Socket;
  /** Address group; null for a trusted proxy, which carries many clients. */
  address: string | null;
  /** The device or key that authenticated on this connection; null: unauthenticated. */
  caller: string | null;
  /** Its response is an event stream. */
  isStream: boolean;
  request: IncomingMessage | null;
  response: ServerResponse | null;
  /** Responses that are not completely sent. */
  pendingResponses: readonly ServerResponse[];
  /** Start of the body deadline; null when no body is awaited. */
  bodyStartedMs: number | null;
  /** Body bytes received, without framing. */
  bodyBytes: number;
  /** Bytes sent and time, when data began to queue and at the last progress; null while nothing is queued. */
  sendProgress: { startBytes: number; startMs: number; sentBytes: number; sentMs: number } | null;
}

/**
 * Tracks all connections and enforces the limits. Authenticated connections are counted separately: a flood of
 * unauthenticated connections evicts only unauthenticated ones.
 */
export interface Connections {
  /** Replaces the request listener: passes requests to `handle`, unless there are too many on one connection. */
  watch(server: Server, handle: RequestListener): void;
  /** Starts the deadline for the body of a request. */
  startBodyDeadline(request: IncomingMessage): void;
  /** Counts received body bytes, which extend the deadline. */
  recordBodyBytes(request: IncomingMessage, bytes: number): void;
  /** Assigns the connection to a device or key. */
  markAuthenticated(socket: Socket, caller: string): void;
  /** Says that the response to the current request is an event stream. */
  markStream(socket: Socket): void;
  /** Drops connections that are late, stalled or over the limits for unsent bytes. */
  sweep: () => void;
}

export interface ConnectionsDeps {
  clock: Clock;
  clientAddresses: ClientAddresses;
  limits: ConnectionLimits;
  log: Logger;
}

export function createConnections({ clock, clientAddresses, limits, log }: ConnectionsDeps): Connections {
  const connections = new Map<Socket, TrackedConnection>();
  /** Unauthenticated connections, oldest first, as in each set of `groups`. */
  const anonymous = new Set<TrackedConnection>();
  /** By address (unauthenticated) and by caller, whose event streams are another group. */
  const groups = new Map<string, Set<TrackedConnection>>();
  let warnedMs = -Infinity;

  const groupNameOf = ({ address, caller, isStream }: TrackedConnection): string | null =>
    address === null ? null : isStream ? `streams of ${caller}` : (caller ?? `address ${address}`);

  const removeFromGroups = (connection: TrackedConnection): void => {
    anonymous.delete(connection);
    const name = groupNameOf(connection);
    const group = name === null ? undefined : groups.get(name);
    group?.delete(connection);
    if (name !== null && group?.size === 0) {
      groups.delete(name);
    }
  };

  const addToGroups = (connection: TrackedConnection): void => {
    if (connection.caller === null) {
      anonymous.add(connection);
    }
    const name = groupNameOf(connection);
    if (name !== null) {
      groups.set(name, (groups.get(name) ?? new Set()).add(connection));
    }
    const max = connection.caller === null ? limits.perAddress : limits.perCaller;
    const group = groups.get(name ?? '');
    if (group && group.size > max && !connection.isStream) {
      evictOne(group, connection);
    }
    if (anonymous.size > limits.anonymous) {
      evictOne(largestAnonymousGroup(), connection);
    }
  };

  /** Unauthenticated connections of the address that has most: clients with few must not be evicted for one with many. */
  const largestAnonymousGroup = (): ReadonlySet<TrackedConnection> => {
    let most: ReadonlySet<TrackedConnection> | null = null;
    let viaProxies = anonymous.size;
    for (const group of groups.values()) {
      const [first] = group;
      if (first?.caller !== null) {
        continue;
      }
      viaProxies -= group.size;
      if (!most || group.size > most.size) {
        most = group;
      }
    }
    return most && most.size >= viaProxies ? most : anonymous;
  };

  /** Drops the oldest connection that is not sending a response, or else the oldest; never `newest`. */
  const evictOne = (group: ReadonlySet<TrackedConnection>, newest: TrackedConnection): void => {
    let oldest: TrackedConnection | null = null;
    for (const connection of group) {
      if (connection === newest) {
        continue;
      }
      oldest ??= connection;
      if (isSendingResponse(connection)) {
        continue;
      }
      drop(connection, 'too_many');
      return;
    }
    if (oldest) {
      drop(oldest, 'too_many');
    }
  };

  const drop = (
    connection: TrackedConnection,
    reason: 'too_many' | 'pipelined' | 'late' | 'stalled' | 'untaken',
  ): void => {
    removeFromGroups(connection);
    connections.delete(connection.socket);
    connection.socket.destroy();
    const { address, caller } = connection;
    const event = 'connection.dropped';
    if (reason !== 'too_many' || clock.nowMs() < warnedMs + WARN_EVERY_MS) {
      return log.info({ reason, address, caller }, event);
    }
    // Warn at most once a minute, so that a flood does not fill the log.
    warnedMs = clock.nowMs();
    return log.warn({ reason, address, caller, open: connections.size, anonymous: anonymous.size }, event);
  };

  const onConnection = (socket: Socket): void => {
    const { remoteAddress } = socket;
    const address = clientAddresses.isTrustedProxy(remoteAddress) ? null : addressGroup(remoteAddress);
    const connection: TrackedConnection = {
      socket,
      address,
      caller: null,
      isStream: false,
      request: null,
      response: null,
      pendingResponses: [],
      bodyStartedMs: null,
      bodyBytes: 0,
      sendProgress: null,
    };
    connections.set(socket, connection);
    socket.on('close', onSocketClose);
    addToGroups(connection);
  };

  // One function for all connections: closures of each would be a tenth of what an open response takes.
  function onSocketClose(this: Socket): void {
    const connection = connections.get(this);
    if (connection) {
      connections.delete(this);
      removeFromGroups(connection);
    }
  }

  function onResponseClose(this: ServerResponse): void {
    const connection = connections.get(this.req.socket);
    if (connection) {
      connection.pendingResponses = connection.pendingResponses.filter((each) => each !== this);
    }
  }

  const isBodyLate = ({ request, bodyStartedMs, bodyBytes }: TrackedConnection): boolean =>
    bodyStartedMs !== null &&
    request?.complete === false &&
    clock.nowMs() - bodyStartedMs > limits.bodyTimeoutMs + bodyBytes / MIN_BYTES_PER_MS;

  const isStalled = (connection: TrackedConnection): boolean => {
    const unsentBytes = connection.socket.writableLength;
    const sentBytes = connection.socket.bytesWritten - unsentBytes;
    const nowMs = clock.nowMs();
    if (unsentBytes === 0) {
      connection.sendProgress = null;
    } else if (!connection.sendProgress) {
      connection.sendProgress = { startBytes: sentBytes, startMs: nowMs, sentBytes, sentMs: nowMs };
    } else if (connection.sendProgress.sentBytes !== sentBytes) {
      Object.assign(connection.sendProgress, { sentBytes, sentMs: nowMs });
    }
    if (!connection.sendProgress) {
      return false;
    }
    const { startBytes, startMs, sentMs } = connection.sendProgress;
    const expectedBytes = (nowMs - startMs - limits.stallTimeoutMs) * MIN_BYTES_PER_MS;
    return nowMs - sentMs >= limits.stallTimeoutMs || sentBytes - startBytes < expectedBytes;
  };

  /** Drops the connections with most unsent bytes until the group is within `most`. */
  const dropUnsent = (group: ReadonlySet<TrackedConnection>, most: number): void => {
    let bytes = 0;
    for (const connection of group) {
      bytes += unsentBytesOf(connection);
    }
    if (bytes <= most) {
      return;
    }
    for (const connection of [...group].toSorted((a, b) => unsentBytesOf(b) - unsentBytesOf(a))) {
      if (bytes <= most) {
        return;
      }
      bytes -= unsentBytesOf(connection);
      drop(connection, 'untaken');
    }
  };

  const assign = (socket: Socket, change: { caller?: string; isStream: boolean }): void => {
    const connection = connections.get(socket);
    if (!connection) {
      return;
    }
    const { caller = connection.caller, isStream } = change;
    if (caller !== connection.caller || isStream !== connection.isStream) {
      removeFromGroups(connection);
      Object.assign(connection, { caller, isStream });
      addToGroups(connection);
    }
  };

  const startBodyDeadline = (request: IncomingMessage): void => {
    const connection = connections.get(request.socket);
    if (connection && !request.complete) {
      connection.bodyStartedMs = clock.nowMs();
    }
  };

  return {
    watch(server, handle) {
      server.on('connection', onConnection);
      server.removeAllListeners('request');
      const onRequest: RequestListener = (request, response) => {
        const connection = connections.get(request.socket);
        // Already dropped: Node still parses the pipelined requests it has received; they are not answered.
        if (!connection) {
          return;
        }
        Object.assign(connection, { request, response, bodyStartedMs: null, bodyBytes: 0 });
        // Not by a spread: V8 reserves room for sixteen more.
        connection.pendingResponses = connection.pendingResponses.concat(response);
        if (connection.pendingResponses.length > MAX_PIPELINED_REQUESTS) {
          drop(connection, 'pipelined');
          return;
        }
        response.on('close', onResponseClose);
        if (isIgnoredBody(request)) {
          // Discarded now; otherwise it would stay buffered until the response is sent.
          request.resume();
          startBodyDeadline(request);
        }
        handle(request, response);
      };
      server.on('request', onRequest);
      // Without this, Node itself answers an Expect header other than 100-continue, bypassing the limits.
      server.on('checkExpectation', onRequest);
    },
    startBodyDeadline,
    recordBodyBytes(request, bytes) {
      const connection = connections.get(request.socket);
      if (connection?.request === request) {
        connection.bodyBytes += bytes;
      }
    },
    markAuthenticated: (socket, caller) => assign(socket, { caller, isStream: false }),
    markStream: (socket) => assign(socket, { isStream: true }),
    sweep() {
      for (const connection of connections.values()) {
        if (isBodyLate(connection)) {
          drop(connection, 'late');
        } else if (isStalled(connection)) {
          drop(connection, 'stalled');
        }
      }
      for (const group of groups.values()) {
        dropUnsent(group, limits.unsentBytes);
      }
      dropUnsent(anonymous, limits.unsentAnonymousBytes);
    },
  };
}

/** The request is completely received and its response is being sent. */
const isSendingResponse = ({ request, response }: TrackedConnection): boolean =>
  request?.complete === true && response?.writableFinished === false;

/** Bytes buffered in the socket and in pipelined responses that have no socket yet. */
const unsentBytesOf = ({ socket, pendingResponses }: TrackedConnection): number => {
  let bytes = socket.writableLength;
  for (const response of pendingResponses) {
    if (response.socket === null) {
      bytes += response.writableLength;
    }
  }
  return bytes;
};

/** True for a request with a body that has no meaning: GET, HEAD or TRACE. */
const isIgnoredBody = ({ method, headers }: IncomingMessage): boolean =>
  ['GET', 'HEAD', 'TRACE'].includes(method ?? '') &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
