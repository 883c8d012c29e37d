import type { Data } from '@placard/client';

/** The oldest lines are dropped. */
const MAX_LINES = 2_000;
/** Where lines are missing: more were written than fit into an answer, or the process was started again. */
const GAP = '…';

type LogLines = Data<'readLiveLog'>;

export interface FollowedLog {
  run: string;
  /** The number of the next line. */
  next: number;
  lines: readonly string[];
}

/** Adds what is new in the newest lines to those that were there. */
export function addLines(before: FollowedLog | null, { run, first, lines }: LogLines): FollowedLog {
  const isSameRun = before?.run === run;
  const known = isSameRun ? Math.max(0, before.next - first) : 0;
  const hasGap = before !== null && (!isSameRun || first > before.next);
  return {
    run,
    next: first + lines.length,
    lines: [...(before?.lines ?? []), ...(hasGap ? [GAP] : []), ...lines.slice(known)].slice(-MAX_LINES),
  };
}
