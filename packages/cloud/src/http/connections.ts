import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { addressGroup } from './addresses.ts';
import type { Addresses } from './addresses.ts';

export interface ConnectionLimits {
  /** Connections of strangers from one IPv4 address, or one /64 of IPv6. */
  perAddress: number;
  /** Connections of strangers from everywhere. */
  strangers: number;
  /** Connections of one device or one API key. */
  perCaller: number;
  /** Milliseconds that the head of a request may take. */
  headMs: number;
  /** Milliseconds that a body may take, and a second more for every 4 kB of it. Uploads are watched by themselves. */
  bodyMs: number;
  /**
   * Milliseconds after which an answer is given up of which nothing is taken any more; after the first so many, also
   * one of which less than 4 kB a second was taken.
   */
  stalledMs: number;
  /** Bytes of answers that one address, device or key leaves untaken. */
  untakenBytes: number;
  /** and all strangers together. */
  untakenOfStrangersBytes: number;
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  // As many as can be accepted in one go, before any of them had the time to say who it is.
  perAddress: 512,
  strangers: 4_096,
  perCaller: 256,
  headMs: 10_000,
  bodyMs: 20_000,
  stalledMs: 60_000,
  untakenBytes: 64 * 2 ** 20,
  untakenOfStrangersBytes: 256 * 2 ** 20,
};

/** A line as slow as this is served yet; the player waits for as long. */
const SLOWEST_BYTES_PER_MS = 4;
const WARN_EVERY_MS = 60_000;
/**
 * Requests of one connection of which the answers have not left. Browsers, players and libraries send one, and wait; each
 * holds the memory of its head.
 */
const MOST_UNANSWERED = 2;

interface Held {
  socket: Socket;
  /** Null: of a trusted proxy, so of many. */
  address: string | null;
  /** The device or key that a request on it belonged to; null: a stranger. */
  caller: string | null;
  request: IncomingMessage | null;
  response: ServerResponse | null;
  /** Answers that have not left as a whole. */
  open: Set<ServerResponse>;
  /** Since when a body is awaited, */
  bodySinceMs: number | null;
  /** and how much of it came; what the wire needs beside is not counted. */
  bodyBytes: number;
  /** Null while nothing waits to be taken. Bytes that were taken when it began to wait, and at the last look, and when. */
  sent: { from: number; fromMs: number; taken: number; takenMs: number } | null;
}

/**
 * Every connection, and what makes room for others. Who has shown a right key or token is no stranger any more and
 * has nothing to do with their number: however many strangers come, they push out each other, and nobody else.
 */
export interface Connections {
  /** Hands its requests to `handle`, and to nobody else, unless there are too many on one connection. */
  watch(server: Server, handle: RequestListener): void;
  /** The body of a request is awaited; it has a deadline. */
  awaitBody(request: IncomingMessage): void;
  /** So many bytes of that body came. */
  bodyCame(request: IncomingMessage, bytes: number): void;
  /** The connection belongs to a device or key. */
  authenticated(socket: Socket, caller: string): void;
  /** Ends what is late or stalled. */
  sweep: () => void;
}

export interface ConnectionsDeps {
  clock: Clock;
  addresses: Addresses;
  limits: ConnectionLimits;
  log: Logger;
}

export function createConnections({ clock, addresses, limits, log }: ConnectionsDeps): Connections {
  const all = new Map<Socket, Held>();
  /** Oldest first, as is each set of `groups`. */
  const strangers = new Set<Held>();
  /** By address (strangers) and by caller. */
  const groups = new Map<string, Set<Held>>();
  let warnedMs = -Infinity;

  const groupOf = (held: Held): string | null =>
    held.address === null ? null : (held.caller ?? `address ${held.address}`);

  const leave = (held: Held): void => {
    strangers.delete(held);
    const name = groupOf(held);
    const group = name === null ? undefined : groups.get(name);
    group?.delete(held);
    if (name !== null && group?.size === 0) groups.delete(name);
  };

  const join = (held: Held): void => {
    if (held.caller === null) strangers.add(held);
    const name = groupOf(held);
    if (name !== null) groups.set(name, (groups.get(name) ?? new Set()).add(held));
    const most = held.caller === null ? limits.perAddress : limits.perCaller;
    const group = groups.get(name ?? '');
    if (group && group.size > most) makeRoom(group, held);
    if (strangers.size > limits.strangers) makeRoom(mostCrowded(), held);
  };

  /** The strangers of the address that has most of them: who has few does not make room for who has many. */
  const mostCrowded = (): ReadonlySet<Held> => {
    let most: ReadonlySet<Held> | null = null;
    let ofProxies = strangers.size;
    for (const group of groups.values()) {
      const [first] = group;
      if (first?.caller !== null) continue;
      ofProxies -= group.size;
      if (!most || group.size > most.size) most = group;
    }
    return most && most.size >= ofProxies ? most : strangers;
  };

  /** The oldest that its client keeps waiting goes, or else the oldest; never the one that has just come. */
  const makeRoom = (group: ReadonlySet<Held>, newest: Held): void => {
    let oldest: Held | null = null;
    for (const held of group) {
      if (held === newest) continue;
      oldest ??= held;
      if (isAnswered(held)) continue;
      drop(held, 'too_many');
      return;
    }
    if (oldest) drop(oldest, 'too_many');
  };

  const drop = (held: Held, reason: 'too_many' | 'pipelined' | 'late' | 'stalled' | 'untaken'): void => {
    leave(held);
    all.delete(held.socket);
    held.socket.destroy();
    const facts = { event: 'connection.dropped', reason, address: held.address, caller: held.caller };
    if (reason !== 'too_many' || clock.nowMs() < warnedMs + WARN_EVERY_MS) return log.info(facts);
    // Once a minute: a flood fills no log.
    warnedMs = clock.nowMs();
    return log.warn({ ...facts, open: all.size, strangers: strangers.size });
  };

  const accept = (socket: Socket): void => {
    const { remoteAddress } = socket;
    const address = addresses.isProxy(remoteAddress) ? null : addressGroup(remoteAddress);
    const held: Held = {
      socket,
      address,
      caller: null,
      request: null,
      response: null,
      open: new Set(),
      bodySinceMs: null,
      bodyBytes: 0,
      sent: null,
    };
    all.set(socket, held);
    socket.once('close', () => {
      all.delete(socket);
      leave(held);
    });
    join(held);
  };

  const isLate = ({ request, bodySinceMs, bodyBytes }: Held): boolean =>
    bodySinceMs !== null &&
    request?.complete === false &&
    clock.nowMs() - bodySinceMs > limits.bodyMs + bodyBytes / SLOWEST_BYTES_PER_MS;

  const isStalled = (held: Held): boolean => {
    const left = held.socket.writableLength;
    const taken = held.socket.bytesWritten - left;
    const nowMs = clock.nowMs();
    if (left === 0) held.sent = null;
    else if (!held.sent) held.sent = { from: taken, fromMs: nowMs, taken, takenMs: nowMs };
    else if (held.sent.taken !== taken) Object.assign(held.sent, { taken, takenMs: nowMs });
    if (!held.sent) return false;
    const { from, fromMs, takenMs } = held.sent;
    const least = (nowMs - fromMs - limits.stalledMs) * SLOWEST_BYTES_PER_MS;
    return nowMs - takenMs >= limits.stalledMs || taken - from < least;
  };

  /** Those with most of it go, until the rest is within the bound. */
  const dropUntaken = (group: ReadonlySet<Held>, most: number): void => {
    let bytes = 0;
    for (const held of group) bytes += untakenOf(held);
    if (bytes <= most) return;
    for (const held of [...group].toSorted((a, b) => untakenOf(b) - untakenOf(a))) {
      if (bytes <= most) return;
      bytes -= untakenOf(held);
      drop(held, 'untaken');
    }
  };

  const awaitBody = (request: IncomingMessage): void => {
    const held = all.get(request.socket);
    if (held && !request.complete) held.bodySinceMs = clock.nowMs();
  };

  return {
    watch(server, handle) {
      server.on('connection', accept);
      server.removeAllListeners('request');
      const take: RequestListener = (request, response) => {
        const held = all.get(request.socket);
        // Dropped: the requests that came with the one too many are read to the end, but not answered.
        if (!held) return;
        Object.assign(held, { request, response, bodySinceMs: null, bodyBytes: 0 });
        held.open.add(response);
        if (held.open.size > MOST_UNANSWERED) {
          drop(held, 'pipelined');
          return;
        }
        response.once('close', () => held.open.delete(response));
        if (isIdleBody(request)) {
          // Nobody reads it: it is thrown away, and not held until the answer is taken.
          request.resume();
          awaitBody(request);
        }
        handle(request, response);
      };
      server.on('request', take);
      // Else Node itself answers what expects anything but 100-continue, and nobody counts it.
      server.on('checkExpectation', take);
    },
    awaitBody,
    bodyCame(request, bytes) {
      const held = all.get(request.socket);
      if (held?.request === request) held.bodyBytes += bytes;
    },
    authenticated(socket, caller) {
      const held = all.get(socket);
      if (!held || held.caller === caller) return;
      leave(held);
      held.caller = caller;
      join(held);
    },
    sweep() {
      for (const held of all.values()) {
        if (isLate(held)) drop(held, 'late');
        else if (isStalled(held)) drop(held, 'stalled');
      }
      for (const group of groups.values()) dropUntaken(group, limits.untakenBytes);
      dropUntaken(strangers, limits.untakenOfStrangersBytes);
    },
  };
}

/** It is our turn: the request is there as a whole, and the answer is on its way. */
const isAnswered = ({ request, response }: Held): boolean =>
  request?.complete === true && response?.writableFinished === false;

/** What waits to be taken: on the line, and of answers behind the one that is on it. */
const untakenOf = ({ socket, open }: Held): number => {
  let bytes = socket.writableLength;
  for (const response of open) if (response.socket === null) bytes += response.writableLength;
  return bytes;
};

/** A body that means nothing: of a request for something to read. */
const isIdleBody = ({ method, headers }: IncomingMessage): boolean =>
  ['GET', 'HEAD', 'TRACE'].includes(method ?? '') &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
