import { playerMessage, PROTOCOL_VERSION, serverMessage, SOCKET_CLOSE } from '@placard/protocol';
import { notificationOf, notifications, webhookEvent } from '@placard/protocol/api';
import type { WebhookEvent } from '@placard/protocol/api';
import type { Json, OpenApiComponents } from './openapi-components.ts';

type SchemaOf = OpenApiComponents['schemaOf'];

const CLOSE_CODES: Record<number, string> = {
  [SOCKET_CLOSE.unpaired]:
    'The device was removed. The only close code that unpairs a player: it deletes its token and shows a pairing code',
  [SOCKET_CLOSE.replaced]:
    'Replaced by a newer socket of the same device; wait 30 seconds before reconnecting',
  [SOCKET_CLOSE.protocol]: 'The protocol version of the other side is not supported',
  [SOCKET_CLOSE.goingAway]: 'The server is stopping; reconnect with exponential backoff',
  1008: 'The device sent more than 300 messages between two pings, over all of its sockets',
  1009: 'A message is larger than 8 KiB',
  1011: 'Internal error; reconnect with exponential backoff',
};

/** Parts of the interface that are not operations: webhooks, the player socket, the content host. */
export function openApiExtensions(schemaOf: SchemaOf): Json {
  return {
    webhooks: Object.fromEntries(
      webhookEvent.options.map((type) => [type, { post: webhookOperation(type, schemaOf) }]),
    ),
    'x-websocket': {
      '/v1/player/socket': {
        summary: 'The socket of a paired device: pushes changes and commands',
        description:
          'A WebSocket, opened with `Authorization: Bearer <device token>` in its handshake; a token in the URL is ' +
          'rejected. Messages are JSON objects with a `type`, in text frames of at most 8 KiB. The server sends `welcome` ' +
          'first; the device replies with `hello`, which names the lower of both protocol versions. Both sides ignore ' +
          'unknown types. The server pings every 30 seconds. A device has one socket: a newer ' +
          'one replaces the older. Revisions are compared at every connect, so nothing is lost while it is down; everything ' +
          'that the socket sends also comes with the heartbeat, later. ' +
          'If the `welcome` has `heartbeats: true`, the device may send its heartbeats here, one at a time: `heartbeat` with ' +
          '`samples` and the whole `state`, after an acknowledged one only `changes` of its fields. It is answered with ' +
          '`heartbeat_ack`, once it is stored, or with `heartbeat_refused` and the same `seq`. Without an answer the device ' +
          'sends the same heartbeat by HTTP; samples count once. More than 300 messages between two pings close it with ' +
          '1008; messages over an older socket of the device count as well.',
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
        summary: 'The files of assets and thumbnails, at the URLs in `url` and `thumbnail_url`',
        description:
          'GET and HEAD, without a key: knowing the SHA-256 of a file is enough to read it. The file at a URL ' +
          'never changes: `Cache-Control: public, max-age=31536000, immutable`, and `ETag` is the hash, so any cache or ' +
          'CDN can be put in front. A single byte `Range` gets 206, one beyond the end ' +
          '416; `If-None-Match` and `If-Range` are supported. Pages of other origins may load the files. 404 ' +
          '`CONTENT_NOT_FOUND` comes in the error envelope.',
        responses: ['200', '206', '304', '404', '416'],
      },
    },
  };
}

/** How a receiver of webhooks knows that they come from this cloud. */
export const WEBHOOK_SIGNATURE: Json = {
  type: 'apiKey',
  in: 'header',
  name: 'webhook-signature',
  description:
    'Standard Webhooks: `v1,` and the HMAC-SHA-256 in base64 of `{webhook-id}.{webhook-timestamp}.{body}`, keyed ' +
    'with the secret of the webhook: the bytes that follow `whsec_` in base64. For 24 hours after a rotation there are two signatures, separated by a space',
};

const webhookHeader = (name: string, description: string, schema: Json): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
});

const DELIVERY =
  'Signed as in Standard Webhooks. Delivered at least once, in order per resource. Any status but 2xx is retried, ten times ' +
  'over three days; 410 deactivates the webhook.';

const webhookOperation = (type: WebhookEvent, schemaOf: SchemaOf): Json => ({
  operationId: type,
  summary: notifications[type].summary,
  description: [notifications[type].description, DELIVERY].filter((text) => text !== undefined).join('\n\n'),
  security: [{ webhookSignature: [] }],
  parameters: [
    webhookHeader('webhook-id', 'The id of the delivery; the same in every attempt', { type: 'string' }),
    webhookHeader('webhook-timestamp', 'Unix seconds of this attempt', { type: 'integer' }),
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: schemaOf(notificationOf(type), 'output'),
      },
    },
  },
  responses: { '2XX': { description: 'Taken' } },
});
