/** A stretch of time in milliseconds, `[from, to)`. */
export interface Span {
  fromMs: number;
  toMs: number;
}

export interface Uptime {
  observedMs: number;
  onlineMs: number;
}

/**
 * How long a device was online while it was observed: from its pairing on, and while this service was
 * running. Nobody can say of a device that it was offline while nobody listened.
 */
export function uptimeOf(
  within: Span,
  pairedAtMs: number,
  observed: readonly Span[],
  online: readonly Span[],
): Uptime {
  const span = { fromMs: Math.max(within.fromMs, pairedAtMs), toMs: within.toMs };
  const watched = joined(observed).flatMap((each) => overlap(each, span));
  const seen = joined(online);
  let [onlineMs, w, s] = [0, 0, 0];
  // Both are in order of time: whichever ends first meets nothing more of the other.
  for (;;) {
    const [mine, theirs] = [watched[w], seen[s]];
    if (!mine || !theirs) break;
    onlineMs += Math.max(0, Math.min(mine.toMs, theirs.toMs) - Math.max(mine.fromMs, theirs.fromMs));
    if (mine.toMs < theirs.toMs) w += 1;
    else s += 1;
  }
  return { observedMs: lengthOf(watched), onlineMs };
}

/** In order of time, those that touch made one. */
function joined(spans: readonly Span[]): Span[] {
  const whole: Span[] = [];
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = whole.at(-1);
    if (last && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else whole.push({ fromMs, toMs });
  }
  return whole;
}

export function percentOf({ observedMs, onlineMs }: Uptime): number | null {
  return observedMs === 0 ? null : Math.round((onlineMs / observedMs) * 10_000) / 100;
}

function overlap(a: Span, b: Span): Span[] {
  const span = { fromMs: Math.max(a.fromMs, b.fromMs), toMs: Math.min(a.toMs, b.toMs) };
  return span.toMs > span.fromMs ? [span] : [];
}

const lengthOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, span) => sum + span.toMs - span.fromMs, 0);
