import type { Duplex } from 'node:stream';
import { playerMessage, SOCKET_CLOSE, socketHeartbeat } from '@placard/protocol';
import type { PlayerMessage, ReportedState, ServerMessage } from '@placard/protocol';
import type { WebSocket } from 'ws';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { validationError } from '../domain/api-error.ts';
import type { ApiError } from '../domain/api-error.ts';
import { validationMessage } from '../domain/validation-message.ts';
import { parseJson } from '../http-server/json.ts';

/** Fields and list entries in a message. */
const MAX_JSON_ENTRIES = 1000;

/** The socket of a device. */
export interface DeviceConnection {
  socket: WebSocket;
  /** What the socket sends on. */
  stream: Duplex;
  /** The protocol version of the player, as its `hello` says; null before. */
  protocol: number | null;
  /** What the device was told last: at the welcome, or pushed since. */
  toldRevision: string | null;
  /** Messages held back until the welcome is sent; null afterwards. */
  queuedBeforeWelcome: ServerMessage[] | null;
  /** The whole state as of the last heartbeat: the next one may have only what has changed since. Null: it must have all of it. */
  reportedState: ReportedState | null;
  isAlive: boolean;
  /** In which turn of each interval it is pinged. */
  pingTurn: number;
  /** The other nodes know of the socket, so what they publish afterwards is newer. */
  isPublished: boolean;
  /** Resolves when all messages received so far are handled. */
  lastHandled: Promise<void>;
  /** Messages received but not handled yet. */
  pendingCount: number;
}

export const createConnection = (
  socket: WebSocket,
  stream: Duplex,
  queuedBeforeWelcome: ServerMessage[] | null,
): DeviceConnection => ({
  socket,
  stream,
  protocol: null,
  toldRevision: null,
  queuedBeforeWelcome,
  reportedState: null,
  isAlive: true,
  pingTurn: 0,
  isPublished: false,
  lastHandled: Promise.resolve(),
  pendingCount: 0,
});

/** A longer message is left to `ws`. */
const MAX_FRAME_TEXT = 0xffff;

/**
 * A message as the server sends it: one frame of text, neither masked nor compressed (RFC 6455, 5.2). In one buffer it
 * takes 7 µs to send, and 10 µs as `ws` does it, in two; a change for 10,000 devices is as many messages.
 */
function textFrame(text: string, textBytes: number): Buffer {
  const headBytes = textBytes < 126 ? 2 : 4;
  const frame = Buffer.allocUnsafe(headBytes + textBytes);
  frame[0] = 0x81;
  if (headBytes === 2) {
    frame[1] = textBytes;
  } else {
    frame[1] = 126;
    frame.writeUInt16BE(textBytes, 2);
  }
  frame.write(text, headBytes);
  return frame;
}

/** Sends the message, after the welcome. */
export function send(connection: DeviceConnection, message: ServerMessage): void {
  if (connection.queuedBeforeWelcome) {
    connection.queuedBeforeWelcome.push(message);
  } else if (connection.socket.readyState === connection.socket.OPEN) {
    const text = JSON.stringify(message);
    const textBytes = Buffer.byteLength(text);
    if (textBytes <= MAX_FRAME_TEXT) {
      connection.stream.write(textFrame(text, textBytes));
    } else {
      connection.socket.send(text);
    }
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
  // Before the welcome, which will tell the revision of then.
  if (!connection || connection.toldRevision === null) {
    return 'unchanged';
  }
  const revision = manifests.derive(deviceId);
  if (revision === null) {
    return 'unread';
  }
  if (revision === connection.toldRevision) {
    return 'unchanged';
  }
  connection.toldRevision = revision;
  send(connection, { type: 'manifest_changed', revision });
  return 'told';
}

/** How many there are, and how many whose last heartbeat reported another revision than the device was told. */
export function countSockets(connections: Iterable<DeviceConnection>): { open: number; behind: number } {
  let [open, behind] = [0, 0];
  for (const { toldRevision, reportedState } of connections) {
    open += 1;
    const isKnown = toldRevision !== null && reportedState !== null;
    behind += isKnown && reportedState.applied_manifest_revision !== toldRevision ? 1 : 0;
  }
  return { open, behind };
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
    json = parseJson(bytes, { maxEntries: MAX_JSON_ENTRIES, removesNul: true });
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
