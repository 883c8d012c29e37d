import type { createGapAnalyzer, Transition } from './gap-analysis.ts';

/** A run with known items: what was seen on the display, and what the page has reported. */
export interface SeenRun {
  analyzer: Pick<ReturnType<typeof createGapAnalyzer>, 'transitions' | 'remainingCounts'>;
  /** Items that the page could not show. */
  failures: readonly string[];
  videoFrames: { drawn: number; dropped: number };
}

/** Frames of videos that may be dropped more than in the run that it is compared with. */
const MORE_DROPPED = 1;

export const sumOf = (of: readonly Transition[], key: 'black' | 'wrong' | 'torn'): number =>
  of.reduce((total, one) => total + one[key], 0);

/**
 * Why a run is not good enough; empty when it is. `without` is the same run without pictures of the page: with them it must be as
 * good, but for one frame of a video.
 */
export function judgeRun(
  { analyzer, failures, videoFrames }: SeenRun,
  { transitions, without }: { transitions: number; without: SeenRun | null },
): string[] {
  const seen = analyzer.transitions;
  const { black, wrong } = analyzer.remainingCounts;
  return [
    seen.length === transitions ? '' : `only ${seen.length} of ${transitions} transitions were seen`,
    failures.length === 0 ? '' : 'items were not shown',
    sumOf(seen, 'black') + sumOf(seen, 'wrong') + black + wrong === 0 ? '' : 'black or wrong frames',
    without && sumOf(seen, 'torn') > sumOf(without.analyzer.transitions, 'torn') ? 'more torn frames' : '',
    without && videoFrames.dropped > without.videoFrames.dropped + MORE_DROPPED ? 'more dropped frames' : '',
  ].filter((each) => each !== '');
}
