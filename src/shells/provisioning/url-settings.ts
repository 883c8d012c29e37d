import { z } from 'zod';

/** A user name, or one with a password, in an address. */
export const CREDENTIALS = /\/\/[^/?#]*@/;

/** Schema of an `http://` or `https://` address. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' });

/** Schema of the address of the cloud; without a slash at its end. */
export const serverUrl = httpUrl
  .refine((url) => !URL.canParse(url) || !CREDENTIALS.test(url), {
    error: 'must not include a user name or password',
  })
  .transform((url) => url.replace(/\/+$/, ''));
