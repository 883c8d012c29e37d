import { z } from 'zod';
import { revision, timestamp } from '../primitives.ts';
import { wireCommand } from './heartbeat.ts';

/** Close codes of `GET /v1/player/socket`. */
export const SOCKET_CLOSE = {
  /** The device token is no longer valid: the only close code that unpairs a player. */
  unpaired: 4401,
  /** A newer socket of the same device took over; the older player must not reconnect at once. */
  replaced: 4409,
  /** The other side speaks an unsupported protocol version. */
  protocol: 4426,
  /** The server is shutting down; reconnect with back-off. */
  goingAway: 1001,
} as const;

/** Server to player. The server sends first: `welcome`. */
export const serverMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('welcome'),
    protocol: z.int(),
    server_time: timestamp,
    manifest_revision: revision,
    /** Seconds between two heartbeats. */
    heartbeat_interval: z.number().min(1).max(86_400),
  }),
  z.object({ type: z.literal('manifest_changed'), revision }),
  z.object({ type: z.literal('command'), command: wireCommand }),
  z.object({ type: z.literal('unpaired') }),
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
]);

export type ServerMessage = z.infer<typeof serverMessage>;
export type PlayerMessage = z.infer<typeof playerMessage>;
