import * as z from 'zod/mini';

/** The steps from this device to its cloud, in the order in which they must pass. */
export const CONNECTIVITY_STEPS = ['link', 'address', 'dns', 'tls', 'server', 'clock'] as const;

/** What to do about a failed step; the page has the text for it, with the server's name or the date. */
const CONNECTIVITY_HINTS = [
  'no_link',
  'no_address',
  'name_not_found',
  'connection_refused',
  'no_route',
  'no_answer',
  'certificate',
  'clock_wrong',
  'not_placard',
  'refused',
  'busy',
  'server_error',
] as const;

/** One step. `waiting`: not known yet, or an earlier step must pass first. */
export const connectivityStep = z.object({
  step: z.enum(CONNECTIVITY_STEPS),
  state: z.enum(['ok', 'failed', 'waiting']),
  /** Only with `failed`. */
  hint: z.nullable(z.enum(CONNECTIVITY_HINTS)),
});

export const networkInterface = z.object({
  name: z.string(),
  kind: z.enum(['wired', 'wireless', 'other']),
  addresses: z.array(z.string()),
  mac: z.nullable(z.string()),
  ssid: z.nullable(z.string()),
});

export type ConnectivityStep = z.infer<typeof connectivityStep>;
export type ConnectivityHint = (typeof CONNECTIVITY_HINTS)[number];
