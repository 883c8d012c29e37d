import { z } from 'zod';

/**
 * The state of the last update as the update helper writes it to its file `state` (lines of `key=value`). `outcome`
 * stays as it is until the next update begins.
 */
export const helperState = z.object({
  phase: z.enum(['idle', 'installing', 'trial', 'returning']),
  outcome: z.enum(['none', 'installing', 'trial', 'returning', 'confirmed', 'rolled_back', 'failed']),
  /** Why it failed or was rolled back: `bad_signature`, `unhealthy`, `crashed`, …; empty after a success. */
  code: z.string(),
  from: z.string(),
  to: z.string(),
});

export type HelperState = z.infer<typeof helperState>;

export const NEVER_UPDATED: HelperState = { phase: 'idle', outcome: 'none', code: '', from: '', to: '' };

/** Null for a text that is not in the helper's format. */
export function parseHelperState(text: string): HelperState | null {
  const pairs = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): [string, string] => {
      const at = line.indexOf('=');
      return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
    });
  const parsed = helperState.safeParse(Object.fromEntries(pairs));
  return parsed.success ? parsed.data : null;
}
