import { playerMessage, PROTOCOL_VERSION, serverMessage, SOCKET_CLOSE } from '@placard/protocol';
import { delivery, webhookEvent } from '@placard/protocol/api';
import type { WebhookEvent } from '@placard/protocol/api';
import type { z } from 'zod';

type Json = Record<string, unknown>;
type SchemaOf = (schema: z.ZodType, io: 'input' | 'output') => Json;

const EVENTS: Record<WebhookEvent, string> = {
  'device.paired': 'A screen was paired',
  'device.online': 'A device that was offline was heard',
  'device.offline':
    'A device was silent for three heartbeats, or its socket dropped and it did not come back',
  'device.removed': 'A device was removed',
  'device.alert':
    'A device reported a fault that it had not reported before: at most 500 a day and device. The cloud itself tells, ' +
    'once a day and device, `plays.over_quota`: more plays of a day than are counted, with `day` and `limit`',
  'content.created': 'A file was uploaded or imported',
  'content.deleted': 'A file was removed',
  'playlist.created': 'A playlist was made',
  'playlist.updated': 'A playlist or its items changed',
  'playlist.deleted': 'A playlist was removed',
  'playlist.deployed': 'A playlist was deployed',
  'schedule.activated': 'A schedule was activated',
  'schedule.deactivated': 'A schedule was deactivated',
  'schedule.changed': 'A schedule was made, changed or removed',
  'command.finished': 'A command succeeded, failed or expired',
};

const CLOSE_CODES: Record<number, string> = {
  [SOCKET_CLOSE.unpaired]:
    'The device was removed. The only close that unpairs a player: it erases its token and shows a code',
  [SOCKET_CLOSE.replaced]:
    'A newer socket of the same device took over; wait half a minute before coming back',
  [SOCKET_CLOSE.protocol]: 'The other side speaks a version of the protocol that this one cannot',
  [SOCKET_CLOSE.goingAway]: 'The server stops; come back with growing pauses',
  1008: 'The device sent more than 300 messages between two pings, over all of its sockets',
  1009: 'A message is larger than 64 KiB',
  1011: 'Something broke on our side; come back with growing pauses',
};

/** What is part of the interface, but no operation of it: webhooks, the socket of a player, the content host. */
export function beyondOperations(schemaOf: SchemaOf): Json {
  return {
    webhooks: Object.fromEntries(
      webhookEvent.options.map((type) => [type, { post: notification(type, schemaOf) }]),
    ),
    'x-websocket': {
      '/v1/player/socket': {
        summary: 'The line of a paired device: changes and commands arrive at once',
        description:
          'A WebSocket, opened with `Authorization: Bearer <device token>` in its handshake; a token in the address is ' +
          'refused. Messages are JSON objects with a `type`, in text frames of at most 64 KiB. The server speaks first, ' +
          'with `welcome`; the device answers with `hello`, which names the lower of both protocol versions. Either side ' +
          'passes over types that it does not know. The server pings every 30 seconds. A device has one socket: a newer ' +
          'one replaces the older. Revisions are compared at every connect, so nothing is lost while it is down; what ' +
          'the socket brings, the heartbeat brings too, only later. More than 300 messages between two pings close it with ' +
          '1008; those over an older socket of the device count as well.',
        'x-scope': 'Device',
        security: [{ deviceToken: [] }],
        protocol: PROTOCOL_VERSION,
        fromServer: schemaOf(serverMessage, 'output'),
        fromDevice: schemaOf(playerMessage, 'input'),
        closeCodes: CLOSE_CODES,
      },
    },
    'x-content-host': {
      '/cdn/{sha256}.{ending}': {
        summary: 'The bytes of assets and small pictures, at the addresses in `url` and `thumbnail_url`',
        description:
          'GET and HEAD, without a key: who knows the SHA-256 of some bytes may have them. The bytes under an address ' +
          'never change: `Cache-Control: public, max-age=31536000, immutable`, and `ETag` is the hash, so that any cache or ' +
          'content delivery network may be put before it. One `Range` of bytes is answered with 206, one beyond the end ' +
          'with 416; `If-None-Match` and `If-Range` are understood. Pages of other origins may load them. 404 ' +
          '`CONTENT_NOT_FOUND` comes in the error envelope.',
        responses: ['200', '206', '304', '404', '416'],
      },
    },
  };
}

const notification = (type: WebhookEvent, schemaOf: SchemaOf): Json => ({
  operationId: type,
  summary: EVENTS[type],
  description:
    'Signed as Standard Webhooks are: `webhook-id`, `webhook-timestamp`, `webhook-signature`. Sent at least once, in ' +
    'order per thing; anything but 2xx is tried again, ten times over three days, 410 switches the webhook off.',
  requestBody: {
    required: true,
    content: { 'application/json': { schema: schemaOf(delivery.shape.payload, 'output') } },
  },
  responses: { '2XX': { description: 'Taken' } },
});
