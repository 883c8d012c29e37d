import { MS_PER_DAY, dayNumber } from './calendar.ts';
import type { ZoneTransitions } from './types.ts';
import { spansOf } from './supplied-spans.ts';

/** A stretch of time in which the clocks of a zone keep one distance from UTC. */
export interface Span {
  /** First instant, ms since 1970. */
  readonly fromMs: number;
  /** First instant after it. The next span may well have the same offset. */
  readonly untilMs: number;
  /** What the wall clock reads minus UTC, ms. */
  readonly offsetMs: number;
}

/** All arithmetic between instants and the wall clock of one IANA zone. Wall times are local time dressed as UTC, in ms. */
export interface Zone {
  readonly name: string;
  /** The span that an instant lies in. */
  spanAt(atMs: number): Span;
  /** What the wall clock reads at an instant. */
  wallAt(atMs: number): number;
  /** The same for an instant about whose neighbours nobody will ask: nothing is read ahead. */
  wallOnce(atMs: number): number;
  /** The first instant at which the wall clock reads `wallMs` or later, having read less just before. */
  instantOf(wallMs: number): number;
}

/** No zone since 1970 changes its clocks and changes them back in less (Recife took a week in 2000). */
const PROBE_MS = 4 * MS_PER_DAY;
/** Where the calendar of the runtime ends; a block may reach beyond it. */
const FURTHEST_MS = 8.64e15;
const PROBES_PER_BLOCK = 64;
const BLOCK_MS = PROBE_MS * PROBES_PER_BLOCK;

/**
 * The zone's offsets come from `Intl`, found by bisection once for each block of 256 days and kept, so that an
 * answer costs nanoseconds instead of the microseconds of a formatter.
 *
 * @param supplied goes before `Intl` as far as it reaches: the data of a runtime are as old as the runtime
 * @throws RangeError when the runtime does not know the zone and nothing was supplied
 */
export function createZone(name: string, supplied?: ZoneTransitions): Zone {
  const told = supplied ? spansOf(supplied) : [];
  const [first, last] = [told[0], told.at(-1)];
  const probe = first && last ? probeBeyond(name, first, last) : offsetProbe(name);
  const blocks = new Map<number, readonly Span[]>();
  let latest: Span = { fromMs: 0, untilMs: 0, offsetMs: 0 };

  function spanAt(atMs: number): Span {
    if (atMs >= latest.fromMs && atMs < latest.untilMs) return latest;
    if (first && last && atMs >= first.fromMs && atMs < last.untilMs)
      return (latest = told.find(({ untilMs }) => atMs < untilMs) ?? last);
    const index = Math.floor(atMs / BLOCK_MS);
    let spans = blocks.get(index);
    if (!spans) blocks.set(index, (spans = spansOfBlock(index * BLOCK_MS, probe)));
    for (const span of spans) if (atMs < span.untilMs) return (latest = beside(span, first, last));
    throw new RangeError(`Not an instant: ${atMs}`);
  }

  return {
    name,
    spanAt,
    wallAt: (atMs) => atMs + spanAt(atMs).offsetMs,
    wallOnce: (atMs) =>
      atMs +
      (first && last && atMs >= first.fromMs && atMs < last.untilMs ? spanAt(atMs).offsetMs : probe(atMs)),
    instantOf(wallMs) {
      // No zone is more than a day from UTC, and none jumps by more than a day.
      let span = spanAt(wallMs - 2 * MS_PER_DAY);
      for (;;) {
        if (span.fromMs + span.offsetMs >= wallMs) return span.fromMs;
        if (span.untilMs + span.offsetMs > wallMs) return wallMs - span.offsetMs;
        span = spanAt(span.untilMs);
      }
    },
  };
}

/** What of a span lies beside those that were supplied. It begins or ends there, not in their midst. */
function beside(span: Span, first: Span | undefined, last: Span | undefined): Span {
  if (!first || !last) return span;
  const { fromMs, untilMs } = span;
  if (fromMs < last.untilMs && untilMs > last.untilMs && fromMs >= first.fromMs)
    return { ...span, fromMs: last.untilMs };
  if (fromMs < first.fromMs && untilMs > first.fromMs) return { ...span, untilMs: first.fromMs };
  return span;
}

/** Of a zone that the runtime does not know, what was supplied holds before and after its time. */
function probeBeyond(name: string, first: Span, last: Span): (atMs: number) => number {
  try {
    return offsetProbe(name);
  } catch {
    return (atMs) => (atMs < first.fromMs ? first.offsetMs : last.offsetMs);
  }
}

function spansOfBlock(blockMs: number, probe: (atMs: number) => number): Span[] {
  const spans: Span[] = [];
  let fromMs = blockMs;
  let offsetMs = probe(blockMs);
  for (let atMs = blockMs; atMs < blockMs + BLOCK_MS; atMs += PROBE_MS) {
    const end = atMs + PROBE_MS;
    let start = atMs;
    const after = probe(end);
    while (offsetMs !== after) {
      // Bisect to the first instant, to the second, that no longer has the old offset.
      let same = start;
      let changed = end;
      while (changed - same > 1000) {
        const middle = Math.floor((same + changed) / 2000) * 1000;
        if (probe(middle) === offsetMs) same = middle;
        else changed = middle;
      }
      spans.push({ fromMs, untilMs: changed, offsetMs });
      start = fromMs = changed;
      offsetMs = probe(changed);
    }
  }
  spans.push({ fromMs, untilMs: blockMs + BLOCK_MS, offsetMs });
  return spans;
}

/** The offset of a zone at an instant, straight from `Intl`: exact and slow. */
function offsetProbe(name: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instantMs) => {
    const atMs = Math.min(Math.max(instantMs, -FURTHEST_MS), FURTHEST_MS);
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
    for (const { type, value } of format.formatToParts(atMs)) parts[type] = value;
    const yearOfEra = Number(parts.year);
    const year = parts.era?.startsWith('B') ? 1 - yearOfEra : yearOfEra;
    // Not Date.UTC, which takes the first hundred years for the twentieth century.
    const midnightMs = dayNumber(year, Number(parts.month), Number(parts.day)) * MS_PER_DAY;
    const seconds = (Number(parts.hour) * 60 + Number(parts.minute)) * 60 + Number(parts.second);
    return midnightMs + seconds * 1000 - Math.floor(atMs / 1000) * 1000;
  };
}
