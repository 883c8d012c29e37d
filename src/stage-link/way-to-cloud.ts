import * as z from 'zod/mini';

/** The links of the chain from this box to its cloud, in the order in which they must hold. */
export const WAY_STEPS = ['link', 'address', 'dns', 'tls', 'server', 'clock'] as const;

/** What to do about the step that fails; the page has the sentence for it, with the server's name or the date. */
export const WAY_HINTS = [
  'no_link',
  'no_address',
  'name_not_found',
  'connection_refused',
  'no_way',
  'no_answer',
  'certificate',
  'clock_wrong',
  'not_placard',
  'refused',
  'busy',
  'server_error',
] as const;

/** One link of the chain. `waiting`: not known yet, or an earlier one must hold first. */
export const wayStep = z.object({
  step: z.enum(WAY_STEPS),
  state: z.enum(['ok', 'failed', 'waiting']),
  /** Only with `failed`. */
  hint: z.nullable(z.enum(WAY_HINTS)),
});

export const networkInterface = z.object({
  name: z.string(),
  kind: z.enum(['wired', 'wireless', 'other']),
  addresses: z.array(z.string()),
  mac: z.nullable(z.string()),
  ssid: z.nullable(z.string()),
});

export type WayStep = z.infer<typeof wayStep>;
export type WayHint = (typeof WAY_HINTS)[number];
