import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { assert } from './contract-violation.ts';
import type { ReceivedRequest } from './webhook-receiver.ts';

const payload = z.strictObject({
  id: z.string().startsWith('evt_'),
  resource: z.string(),
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});

const withId = z.object({ id: z.string() });

export interface ReceivedEvent {
  /** `webhook-id`: the same for every attempt of one event. */
  id: string;
  type: string;
  /** Id of the resource. */
  resource: string;
  body: string;
  responseStatus: number;
}

/** Verifies a delivery with the public library, at the time of the cloud. */
export function verifyDelivery(request: ReceivedRequest, secret: string, nowMs: number): ReceivedEvent {
  const headers = {
    'webhook-id': String(request.headers['webhook-id']),
    'webhook-timestamp': String(request.headers['webhook-timestamp']),
    'webhook-signature': String(request.headers['webhook-signature']),
  };
  const sentMs = Number(headers['webhook-timestamp']) * 1000;
  // The clock of a trial jumps by hours, also during a delivery.
  const agoMs = nowMs - sentMs;
  assert(agoMs > -1_500 && agoMs < 12 * 3_600_000, 'the timestamp is not the time of the attempt', headers);
  withSystemTime(sentMs, () => new Webhook(secret).verify(request.body, headers));
  assert(
    request.headers['content-type']?.startsWith('application/json'),
    'a delivery is not JSON',
    request.headers,
  );
  const read = payload.safeParse(JSON.parse(request.body));
  assert(read.success, 'the body of a delivery is not { id, type, timestamp, resource, data }', request.body);
  const kind = read.data.type.split('.')[0] ?? '';
  const thing = withId.safeParse(read.data.data[kind] ?? read.data.data);
  const resource = thing.data?.id ?? '';
  return {
    id: headers['webhook-id'],
    type: read.data.type,
    resource,
    body: request.body,
    responseStatus: request.responseStatus,
  };
}

/** The verifier uses the system clock; the cloud of a trial has a manual one. */
function withSystemTime(nowMs: number, run: () => unknown): void {
  const real = Date.now;
  Date.now = () => nowMs;
  try {
    run();
  } finally {
    Date.now = real;
  }
}
