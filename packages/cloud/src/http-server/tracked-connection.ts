import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A connection to this cloud, and what its limits need to know of it. */
export interface TrackedConnection {
  socket: Socket;
  /** Address group; null for a trusted proxy, which carries many clients. */
  address: string | null;
  /** The device or key that authenticated on this connection; null: unauthenticated. */
  caller: string | null;
  /** Its response is an event stream. */
  isStream: boolean;
  /** The last one; null when it was completely received, and then answered. */
  request: IncomingMessage | null;
  /** To the last request; null when it is completely sent. */
  response: ServerResponse | null;
  /** To the request before, as long as it is not completely sent. */
  earlierResponse: ServerResponse | null;
  /** Start of the body deadline; null when no body is awaited. */
  bodyStartedMs: number | null;
  /** Body bytes received, without framing. */
  bodyBytes: number;
  /** Bytes sent and time, when data began to queue and at the last progress; null while nothing is queued. */
  sendProgress: { startBytes: number; startMs: number; sentBytes: number; sentMs: number } | null;
}

/** On the socket itself: each request looks for its connection several times, and in a map of 50,000 that takes longer. */
const TRACKED = Symbol('tracked connection');
interface TrackedSocket extends Socket {
  [TRACKED]?: TrackedConnection | undefined;
}
/** Undefined when the connection is not tracked, or no longer. */
export const connectionOf = (socket: TrackedSocket): TrackedConnection | undefined => socket[TRACKED];

export function track(socket: TrackedSocket, connection: TrackedConnection | undefined): void {
  socket[TRACKED] = connection;
}

/** The request is completely received and its response is being sent. */
export const isSendingResponse = ({ request, response }: TrackedConnection): boolean =>
  request?.complete === true && response?.writableFinished === false;

/** Bytes buffered in the socket and in pipelined responses that have no socket yet. */
export const unsentBytesOf = ({ socket, response, earlierResponse }: TrackedConnection): number =>
  socket.writableLength + queuedBytesOf(response) + queuedBytesOf(earlierResponse);
const queuedBytesOf = (response: ServerResponse | null): number =>
  response?.socket === null ? response.writableLength : 0;
