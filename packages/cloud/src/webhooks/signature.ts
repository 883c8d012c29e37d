import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A new secret in the format of Standard Webhooks. */
export const generateWebhookSecret = (): string => PREFIX + randomBytes(32).toString('base64');

/** The `webhook-signature` header: one signature per secret, so that both secrets work during a rotation. */
export function signWebhook(
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
