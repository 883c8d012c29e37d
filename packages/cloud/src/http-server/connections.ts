import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { addressGroup } from './client-address.ts';
import type { ClientAddresses } from './client-address.ts';
import { createGroups, membersOf, sizeOf } from './connection-groups.ts';
import type { ConnectionGroup } from './connection-groups.ts';
import { connectionOf, isSendingResponse, track, unsentBytesOf } from './tracked-connection.ts';
import type { TrackedConnection } from './tracked-connection.ts';

export const DEFAULT_CONNECTION_LIMITS = {
  /**
   * Unauthenticated connections from one IPv4 address, or one /64 of IPv6: of a burst, those that were accepted and could
   * not authenticate yet. What the accepted ones have sent is read before all others are accepted.
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
/** Connections looked at in one turn of the event loop: of 50,000 at once it would take 40 ms. */
const SWEPT_PER_TURN = 1_000;

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
  /** Drops connections that are late, stalled or over the limits for unsent bytes; not all in one turn of the event loop. */
  sweep: () => Promise<void>;
}

export interface ConnectionsDeps {
  clock: Clock;
  clientAddresses: ClientAddresses;
  limits: ConnectionLimits;
  log: Logger;
}

export function createConnections({ clock, clientAddresses, limits, log }: ConnectionsDeps): Connections {
  const open = new Set<TrackedConnection>();
  /** Unauthenticated connections, oldest first, as in each group. */
  const anonymous = new Set<TrackedConnection>();
  /** Unauthenticated connections by address, others by caller, and event streams by caller. */
  const groups = {
    addresses: createGroups(),
    callers: createGroups(),
    streams: createGroups(),
  };
  let warnedMs = -Infinity;

  const groupsOf = ({ caller, isStream }: TrackedConnection) =>
    isStream ? groups.streams : caller === null ? groups.addresses : groups.callers;

  const groupOf = (connection: TrackedConnection): ConnectionGroup | null => {
    const { address, caller } = connection;
    return address === null ? null : groupsOf(connection).get(caller ?? address);
  };

  const removeFromGroups = (connection: TrackedConnection): void => {
    const { address, caller } = connection;
    if (caller === null) {
      anonymous.delete(connection);
    }
    if (address !== null) {
      groupsOf(connection).remove(caller ?? address, connection);
    }
  };

  const addToGroups = (connection: TrackedConnection): void => {
    const { address, caller, isStream } = connection;
    if (caller === null) {
      anonymous.add(connection);
    }
    if (address !== null) {
      const group = groupsOf(connection).add(caller ?? address, connection);
      if (!isStream && sizeOf(group) > (caller === null ? limits.perAddress : limits.perCaller)) {
        evictOne(membersOf(group), connection);
      }
    }
    if (anonymous.size > limits.anonymous) {
      evictOne(largestAnonymousGroup(), connection);
    }
  };

  /** Unauthenticated connections of the address that has most: clients with few must not be evicted for one with many. */
  const largestAnonymousGroup = (): Iterable<TrackedConnection> => {
    let most: ConnectionGroup | null = null;
    let viaProxies = anonymous.size;
    for (const group of groups.addresses.all()) {
      viaProxies -= sizeOf(group);
      if (!most || sizeOf(group) > sizeOf(most)) {
        most = group;
      }
    }
    return most && sizeOf(most) >= viaProxies ? membersOf(most) : anonymous;
  };

  /** Drops the oldest connection that is not sending a response, or else the oldest; never `newest`. */
  const evictOne = (group: Iterable<TrackedConnection>, newest: TrackedConnection): void => {
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

  const forget = (connection: TrackedConnection): void => {
    open.delete(connection);
    removeFromGroups(connection);
    track(connection.socket, undefined);
  };

  const drop = (
    connection: TrackedConnection,
    reason: 'too_many' | 'pipelined' | 'late' | 'stalled' | 'untaken',
  ): void => {
    forget(connection);
    connection.socket.destroy();
    const { address, caller } = connection;
    const event = 'connection.dropped';
    if (reason !== 'too_many' || clock.nowMs() < warnedMs + WARN_EVERY_MS) {
      return log.info({ reason, address, caller }, event);
    }
    // Warn at most once a minute, so that a flood does not fill the log.
    warnedMs = clock.nowMs();
    return log.warn({ reason, address, caller, open: open.size, anonymous: anonymous.size }, event);
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
      earlierResponse: null,
      bodyStartedMs: null,
      bodyBytes: 0,
      sendProgress: null,
    };
    track(socket, connection);
    open.add(connection);
    socket.on('close', onSocketClose);
    addToGroups(connection);
  };

  // One function for all connections: closures of each would be a tenth of what an open response takes.
  function onSocketClose(this: Socket): void {
    const connection = connectionOf(this);
    if (connection) {
      forget(connection);
    }
  }

  const isBodyLate = ({ request, bodyStartedMs, bodyBytes }: TrackedConnection): boolean =>
    bodyStartedMs !== null &&
    request?.complete === false &&
    clock.nowMs() - bodyStartedMs > limits.bodyTimeoutMs + bodyBytes / MIN_BYTES_PER_MS;

  const isStalled = (connection: TrackedConnection): boolean => {
    const { socket, sendProgress: progress } = connection;
    const unsentBytes = socket.writableLength;
    if (unsentBytes === 0) {
      connection.sendProgress = null;
      return false;
    }
    const sentBytes = socket.bytesWritten - unsentBytes;
    const nowMs = clock.nowMs();
    if (!progress) {
      connection.sendProgress = { startBytes: sentBytes, startMs: nowMs, sentBytes, sentMs: nowMs };
      return false;
    }
    if (progress.sentBytes !== sentBytes) {
      progress.sentBytes = sentBytes;
      progress.sentMs = nowMs;
    }
    const { startBytes, startMs, sentMs } = progress;
    const expectedBytes = (nowMs - startMs - limits.stallTimeoutMs) * MIN_BYTES_PER_MS;
    return nowMs - sentMs >= limits.stallTimeoutMs || sentBytes - startBytes < expectedBytes;
  };

  /** Drops the connections with most unsent bytes until the group is within `most`. */
  const dropUnsent = (group: Iterable<TrackedConnection>, most: number): void => {
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

  const assign = (socket: Socket, caller: string | null, isStream: boolean): void => {
    const connection = connectionOf(socket);
    if (connection && (caller !== connection.caller || isStream !== connection.isStream)) {
      removeFromGroups(connection);
      connection.caller = caller;
      connection.isStream = isStream;
      addToGroups(connection);
    }
  };

  const startBodyDeadline = (request: IncomingMessage): void => {
    const connection = connectionOf(request.socket);
    if (connection && !request.complete) {
      connection.bodyStartedMs = clock.nowMs();
    }
  };

  return {
    watch(server, handle) {
      server.on('connection', onConnection);
      server.removeAllListeners('request');
      const onRequest: RequestListener = (request, response) => {
        const connection = connectionOf(request.socket);
        // Already dropped: Node still parses the pipelined requests it has received; they are not answered.
        if (!connection) {
          return;
        }
        connection.request = request;
        connection.bodyStartedMs = null;
        connection.bodyBytes = 0;
        // Each unanswered request holds its headers in memory. Browsers and HTTP libraries do not pipeline.
        if (connection.earlierResponse) {
          drop(connection, 'pipelined');
          return;
        }
        connection.earlierResponse = connection.response;
        connection.response = response;
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
      const connection = connectionOf(request.socket);
      if (connection?.request === request) {
        connection.bodyBytes += bytes;
      }
    },
    markAuthenticated: (socket, caller) => assign(socket, caller, false),
    markStream: (socket) => assign(socket, connectionOf(socket)?.caller ?? null, true),
    async sweep() {
      const unsentBytes = new Map<ConnectionGroup, number>();
      let count = 0;
      for (const connection of open) {
        if (isBodyLate(connection)) {
          drop(connection, 'late');
        } else if (isStalled(connection)) {
          drop(connection, 'stalled');
        } else {
          const bytes = unsentBytesOf(connection);
          const group = bytes === 0 ? null : groupOf(connection);
          if (group) {
            unsentBytes.set(group, (unsentBytes.get(group) ?? 0) + bytes);
          }
        }
        count += 1;
        if (count % SWEPT_PER_TURN === 0) {
          await setImmediate();
        }
      }
      for (const [group, bytes] of unsentBytes) {
        if (bytes > limits.unsentBytes) {
          dropUnsent(membersOf(group), limits.unsentBytes);
        }
      }
      dropUnsent(anonymous, limits.unsentAnonymousBytes);
    },
  };
}

function onResponseClose(this: ServerResponse): void {
  const connection = connectionOf(this.req.socket);
  if (connection?.response === this) {
    connection.response = null;
    // Kept until the next one, it is copied by the garbage collector: with 1,700 heartbeats a second each collection of the
    // young generation copied 4 to 6 MB, and copies 0.4 now.
    if (connection.request?.complete) {
      connection.request = null;
    }
  } else if (connection?.earlierResponse === this) {
    connection.earlierResponse = null;
  }
}

/** True for a request with a body that has no meaning: GET, HEAD or TRACE. */
const isIgnoredBody = ({ method, headers }: IncomingMessage): boolean =>
  ['GET', 'HEAD', 'TRACE'].includes(method ?? '') &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
