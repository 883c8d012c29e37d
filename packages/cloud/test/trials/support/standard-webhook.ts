import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { must } from './breach.ts';
import type { Received } from './receiver.ts';

const payload = z.strictObject({
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});

const named = z.object({ id: z.string() });

export interface Event {
  /** `webhook-id`: the same for every try of one event. */
  id: string;
  type: string;
  /** Id of the thing that it is about. */
  resource: string;
  body: string;
  answered: number;
}

/** Reads a delivery as a stranger would: by the public verifier, at the instant of the cloud. */
export function readEvent(one: Received, secret: string, nowMs: number): Event {
  const headers = {
    'webhook-id': String(one.headers['webhook-id']),
    'webhook-timestamp': String(one.headers['webhook-timestamp']),
    'webhook-signature': String(one.headers['webhook-signature']),
  };
  const sentMs = Number(headers['webhook-timestamp']) * 1000;
  // The clock of a trial leaps by hours, also while a delivery is on its way.
  const agoMs = nowMs - sentMs;
  must(agoMs > -1_500 && agoMs < 12 * 3_600_000, 'the timestamp is not the time of the try', headers);
  at(sentMs, () => new Webhook(secret).verify(one.body, headers));
  must(one.headers['content-type']?.startsWith('application/json'), 'a delivery is not JSON', one.headers);
  const read = payload.safeParse(JSON.parse(one.body));
  must(read.success, 'a delivery has another body than { type, timestamp, data }', one.body);
  const kind = read.data.type.split('.')[0] ?? '';
  const thing = named.safeParse(read.data.data[kind] ?? read.data.data);
  const resource = thing.data?.id ?? '';
  return {
    id: headers['webhook-id'],
    type: read.data.type,
    resource,
    body: one.body,
    answered: one.answered,
  };
}

/** The verifier looks at the clock of this machine; the cloud of a trial has its own. */
function at(nowMs: number, run: () => unknown): void {
  const real = Date.now;
  Date.now = () => nowMs;
  try {
    run();
  } finally {
    Date.now = real;
  }
}
