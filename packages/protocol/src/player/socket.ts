import { z } from 'zod';
import { revision, timestamp } from '../primitives.ts';
import { heartbeatRequest, heartbeatResponse, reportedState, wireCommand } from './heartbeat.ts';
import { liveRequest } from './live.ts';

/** Close codes of `GET /v1/player/socket`. */
export const SOCKET_CLOSE = {
  /** The device token is no longer valid: the only close code that unpairs a player. */
  unpaired: 4401,
  /** A newer socket of the same device took over; the older player must not reconnect at once. */
  replaced: 4409,
  /** The other side speaks an unsupported protocol version. */
  protocol: 4426,
  /** The server is shutting down; reconnect with back-off, or after the time of the reason (`parseRetryAfterReason`). */
  goingAway: 1001,
} as const;

/** The reason of a close: when the player should come back, in milliseconds. Others ignore it. */
export const retryAfterReason = (ms: number): string => `retry after ${ms} ms`;

/** The milliseconds in the reason of a close, at most five minutes; null when it says nothing about that. */
export function parseRetryAfterReason(reason: string): number | null {
  const [, ms] = /^retry after (\d{1,6}) ms$/.exec(reason) ?? [];
  return ms === undefined ? null : Math.min(Number(ms), 300_000);
}

/** A larger heartbeat goes by HTTP. The cloud closes a socket that carries a message of more than 8192 bytes. */
export const MAX_SOCKET_HEARTBEAT_BYTES = 6144;

/** Of the answer to a heartbeat: that of the heartbeat. */
const sequenceNumber = z.int().min(0);

/**
 * A heartbeat over the socket. A connection carries one at a time; the next one is sent when it was answered, or when
 * the player has given up waiting.
 */
export const socketHeartbeat = z.object({
  type: z.literal('heartbeat'),
  seq: sequenceNumber,
  samples: heartbeatRequest.shape.samples,
  /** The whole state: in the first heartbeat of a connection, and in one after a heartbeat that was not acknowledged. */
  state: reportedState.optional(),
  /** Otherwise: the fields with other values than in the heartbeat before. A field that is left out keeps its value. */
  changes: reportedState.partial().optional(),
});

/** The heartbeat is stored. */
export const heartbeatAcknowledgement = heartbeatResponse.extend({
  type: z.literal('heartbeat_ack'),
  seq: sequenceNumber,
});

/** The heartbeat is not stored. */
export const heartbeatRefusal = z.object({
  type: z.literal('heartbeat_refused'),
  seq: sequenceNumber,
  /** As the error of an HTTP response. */
  error: z.object({ code: z.string().max(100), message: z.string().max(1000) }),
});

/** Server to player. The server sends first: `welcome`. */
export const serverMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('welcome'),
    protocol: z.int(),
    server_time: timestamp,
    manifest_revision: revision,
    /** Seconds between two heartbeats. */
    heartbeat_interval: z.number().min(1).max(86_400),
    /** Whether heartbeats may be sent on this socket; left out by clouds before protocol version 6. */
    heartbeats: z.boolean().optional(),
  }),
  z.object({ type: z.literal('manifest_changed'), revision }),
  z.object({ type: z.literal('command'), command: wireCommand }),
  z.object({ type: z.literal('unpaired') }),
  liveRequest,
  heartbeatAcknowledgement,
  heartbeatRefusal,
]);

/** Player to server. The status of a command is reported by HTTP. */
export const playerMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.int(),
    player_version: z.string().max(50),
    /** Not read. Clouds before protocol version 5 require both, so a player sends them. */
    manifest_revision: revision.nullable().optional(),
    boot_id: z.string().max(100).optional(),
  }),
  socketHeartbeat,
]);

export type ServerMessage = z.infer<typeof serverMessage>;
export type PlayerMessage = z.infer<typeof playerMessage>;
export type SocketHeartbeat = z.infer<typeof socketHeartbeat>;
export type HelloMessage = Exclude<PlayerMessage, SocketHeartbeat>;
export type HeartbeatAnswer = z.infer<typeof heartbeatAcknowledgement> | z.infer<typeof heartbeatRefusal>;
/** What the server says of its own accord. */
export type PushedMessage = Exclude<ServerMessage, HeartbeatAnswer>;
