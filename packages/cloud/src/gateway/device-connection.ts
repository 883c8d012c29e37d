import { playerMessage, SOCKET_CLOSE, socketHeartbeat } from '@placard/protocol';
import type { PlayerMessage, ReportedState, ServerMessage } from '@placard/protocol';
import type { WebSocket } from 'ws';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { DerivedRevision } from '../database/manifests.ts';
import { validationError } from '../domain/api-error.ts';
import type { ApiError } from '../domain/api-error.ts';
import { validationMessage } from '../domain/validation-message.ts';
import { parseJson } from '../http-server/json.ts';

/** Fields and list entries in a message. */
const MAX_JSON_ENTRIES = 1000;

/** The socket of a device. */
export interface DeviceConnection {
  socket: WebSocket;
  /** What the device was told last: at the welcome, or pushed since. */
  toldRevision: DerivedRevision | null;
  /** Messages held back until the welcome is sent; null afterwards. */
  queuedBeforeWelcome: ServerMessage[] | null;
  /** Of the last heartbeat on this socket, which the next one completes; null when that must be complete itself. */
  reportedState: ReportedState | null;
  isAlive: boolean;
  /** Resolves when all messages received so far are handled. */
  lastHandled: Promise<void>;
  /** Messages received but not handled yet. */
  pendingCount: number;
}

export const createConnection = (
  socket: WebSocket,
  queuedBeforeWelcome: ServerMessage[] | null,
): DeviceConnection => ({
  socket,
  toldRevision: null,
  queuedBeforeWelcome,
  reportedState: null,
  isAlive: true,
  lastHandled: Promise.resolve(),
  pendingCount: 0,
});

/** Sends the message, after the welcome. */
export function send(connection: DeviceConnection, message: ServerMessage): void {
  if (connection.queuedBeforeWelcome) {
    connection.queuedBeforeWelcome.push(message);
  } else if (connection.socket.readyState === connection.socket.OPEN) {
    connection.socket.send(JSON.stringify(message));
  }
}

/** Tells the device that it was removed, and closes its socket. */
export function unpair(connection: DeviceConnection): void {
  connection.queuedBeforeWelcome = null;
  send(connection, { type: 'unpaired' });
  connection.socket.close(SOCKET_CLOSE.unpaired, 'unpaired');
}

/**
 * Tells the device its revision if it is another than the last told; `unread` when the device must be read for that. The
 * revision is derived when it is sent, without anything in between: no device is told an old one after a newer one.
 */
export function tellRevision(
  manifests: Pick<CloudDatabase['manifests'], 'derive'>,
  deviceId: string,
  connection: DeviceConnection | undefined,
): 'told' | 'unchanged' | 'unread' {
  const known = connection?.toldRevision;
  // Before the welcome, which will tell the revision of then.
  if (!connection || !known) {
    return 'unchanged';
  }
  const derived = manifests.derive(deviceId, known);
  if (!derived) {
    return 'unread';
  }
  connection.toldRevision = derived;
  if (derived.revision === known.revision) {
    return 'unchanged';
  }
  send(connection, { type: 'manifest_changed', revision: derived.revision });
  return 'told';
}

/** A heartbeat that must be refused. */
export interface InvalidHeartbeat {
  type: 'invalid_heartbeat';
  seq: number;
  error: ApiError;
}

const numberedHeartbeat = socketHeartbeat.pick({ type: true, seq: true });

/** A message that a device sent; null when it is of an unknown type, or not valid and needs no answer. */
export function parsePlayerMessage(bytes: Buffer): PlayerMessage | InvalidHeartbeat | null {
  let json: unknown;
  try {
    json = parseJson(bytes, MAX_JSON_ENTRIES);
  } catch {
    return null;
  }
  const parsed = playerMessage.safeParse(json, { error: validationMessage });
  if (parsed.success) {
    return parsed.data;
  }
  const seq = numberedHeartbeat.safeParse(json).data?.seq;
  if (seq === undefined) {
    return null;
  }
  const problems = parsed.error.issues.map(({ path, message }) => ({
    path: path.map(String).join('.'),
    message,
  }));
  return { type: 'invalid_heartbeat', seq, error: validationError(problems) };
}
