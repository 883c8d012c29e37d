import type { operations } from './schema.generated.ts';

type Types = { [K in keyof operations]: K extends `${string}.${string}` ? K : never }[keyof operations];
type Payload<T> = T extends { requestBody: { content: { 'application/json': infer B } } } ? B : never;

/** What a webhook delivers. `type` says which fields `data` has; newer clouds may send further types. */
export type WebhookEvent = Payload<operations[Types]>;

/** The headers of the request, in any of the forms that servers have them in. */
export type WebhookHeaders =
  Pick<Headers, 'get'> | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** How far the clock of the cloud may be away, in seconds. Default 300. */
  toleranceSeconds?: number | undefined;
  /** The current time, in ms. */
  nowMs?: number | undefined;
}

/** The request does not come from the cloud, or is an old one that somebody sends again: answer with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * Checks the signature of a webhook (Standard Webhooks) and returns what it says.
 * `body`: exactly the bytes that were received, not JSON that was parsed and written again.
 * `secret`: as the cloud showed it, `whsec_…`; several while it is being rotated.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, nowMs = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const sentMs = Number(timestamp) * 1000;
  // Also refuses what is not a number.
  if (!/^\d+$/.test(timestamp) || !(Math.abs(nowMs - sentMs) <= toleranceSeconds * 1000)) {
    throw new WebhookVerificationError(
      `webhook-timestamp is more than ${toleranceSeconds} s away from the clock of this machine`,
    );
  }
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const signatures = headerOf(headers, 'webhook-signature')
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .slice(0, 10)
    .map((each) => decodeBase64(each.slice('v1,'.length)));
  for (const each of typeof secret === 'string' ? [secret] : secret) {
    const key = await importSecret(each);
    for (const signature of signatures) {
      // Compares in constant time.
      if (signature !== null && (await crypto.subtle.verify('HMAC', key, signature, signed))) {
        return JSON.parse(text);
      }
    }
  }
  throw new WebhookVerificationError('webhook-signature was not made with this secret');
}

async function importSecret(secret: string) {
  const bytes = secret.startsWith('whsec_') ? decodeBase64(secret.slice('whsec_'.length)) : null;
  if (bytes === null || bytes.length === 0) {
    throw new TypeError('the secret of a webhook is whsec_ and base64, as the cloud showed it');
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    'get' in headers && typeof headers.get === 'function' ? headers.get(name) : fieldOf(headers, name);
  if (typeof value !== 'string' || value === '') {
    throw new WebhookVerificationError(`the header ${name} is missing`);
  }
  return value;
}

function fieldOf(headers: WebhookHeaders, name: string): unknown {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return Array.isArray(value) ? value[0] : value;
}
