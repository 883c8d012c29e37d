import { z } from 'zod';
import type { HelperState } from '../../core/update/helper-state.ts';

const helperState = z.object({
  phase: z.enum(['idle', 'installing', 'trial', 'returning']),
  outcome: z.enum(['none', 'installing', 'trial', 'returning', 'confirmed', 'rolled_back', 'failed']),
  code: z.string(),
  from: z.string(),
  to: z.string(),
}) satisfies z.ZodType<HelperState>;

/** Parses the helper's file `state` (lines of `key=value`); null for a text that is not in its format. */
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
