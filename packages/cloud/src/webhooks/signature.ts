import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A new secret as Standard Webhooks writes it. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64');

/** The `webhook-signature` header: one signature per secret, so that a rotation loses nothing. */
export function signatureOf(
  message: { id: string; timestampSeconds: number; payload: string },
  secrets: readonly string[],
): string {
  const signed = `${message.id}.${message.timestampSeconds}.${message.payload}`;
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    })
    .join(' ');
}
