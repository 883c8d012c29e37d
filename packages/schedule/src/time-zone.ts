import { MS_PER_DAY, dayNumber } from './calendar.ts';
import type { ZoneTransitions } from './types.ts';
import { parseSuppliedSpans } from './offset-span.ts';
import type { OffsetSpan } from './offset-span.ts';

/** Conversion between instants and the wall time of one IANA zone. Wall times are local time as if UTC, in ms. */
export interface TimeZone {
  /** The span of an instant. */
  spanAt(atMs: number): OffsetSpan;
  /** Wall time at an instant. */
  localTimeAt(atMs: number): number;
  /** The same without reading ahead, for a single instant. */
  localTimeAtUncached(atMs: number): number;
  /** The first instant at which the wall clock reads `localMs` or later, having read less just before. */
  firstInstantAt(localMs: number): number;
}

/** No zone since 1970 has changed its offset and changed it back in less (Recife took a week in 2000). */
const PROBE_INTERVAL_MS = 4 * MS_PER_DAY;
/** End of the range of `Date`; a block may reach beyond it. */
const MAX_INSTANT_MS = 8.64e15;
const PROBES_PER_BLOCK = 64;
const BLOCK_MS = PROBE_INTERVAL_MS * PROBES_PER_BLOCK;

/**
 * Offsets come from `Intl`, found by bisection once for each block of 256 days and cached, so that a lookup takes
 * nanoseconds instead of the microseconds of a formatter.
 *
 * @param supplied has precedence over `Intl` within its time range: the data of a runtime are as old as the runtime
 * @throws RangeError when the runtime does not know the zone and nothing was supplied
 */
export function createTimeZone(name: string, supplied?: ZoneTransitions): TimeZone {
  const suppliedSpans = supplied ? parseSuppliedSpans(supplied) : [];
  const [first, last] = [suppliedSpans[0], suppliedSpans.at(-1)];
  const readOffset =
    first && last ? createOffsetReaderWithFallback(name, first, last) : createOffsetReader(name);
  const spansByBlock = new Map<number, readonly OffsetSpan[]>();
  let latestSpan: OffsetSpan = { fromMs: 0, untilMs: 0, offsetMs: 0 };

  function spanAt(atMs: number): OffsetSpan {
    if (atMs >= latestSpan.fromMs && atMs < latestSpan.untilMs) {
      return latestSpan;
    }
    if (first && last && atMs >= first.fromMs && atMs < last.untilMs) {
      return (latestSpan = suppliedSpans.find(({ untilMs }) => atMs < untilMs) ?? last);
    }
    const index = Math.floor(atMs / BLOCK_MS);
    let spans = spansByBlock.get(index);
    if (!spans) {
      spansByBlock.set(index, (spans = findSpansInBlock(index * BLOCK_MS, readOffset)));
    }
    for (const span of spans) {
      if (atMs < span.untilMs) {
        return (latestSpan = clipToSupplied(span));
      }
    }
    throw new RangeError(`Not an instant: ${atMs}`);
  }

  /** The part of a span outside the supplied ones. It begins or ends there, never within them. */
  function clipToSupplied(span: OffsetSpan): OffsetSpan {
    if (!first || !last) {
      return span;
    }
    const { fromMs, untilMs } = span;
    if (fromMs < last.untilMs && untilMs > last.untilMs && fromMs >= first.fromMs) {
      return { ...span, fromMs: last.untilMs };
    }
    if (fromMs < first.fromMs && untilMs > first.fromMs) {
      return { ...span, untilMs: first.fromMs };
    }
    return span;
  }

  return {
    spanAt,
    localTimeAt: (atMs) => atMs + spanAt(atMs).offsetMs,
    localTimeAtUncached: (atMs) =>
      atMs +
      (first && last && atMs >= first.fromMs && atMs < last.untilMs
        ? spanAt(atMs).offsetMs
        : readOffset(atMs)),
    firstInstantAt(localMs) {
      // No zone is more than a day from UTC, and none jumps by more than a day.
      let span = spanAt(localMs - 2 * MS_PER_DAY);
      for (;;) {
        if (span.fromMs + span.offsetMs >= localMs) {
          return span.fromMs;
        }
        if (span.untilMs + span.offsetMs > localMs) {
          return localMs - span.offsetMs;
        }
        span = spanAt(span.untilMs);
      }
    },
  };
}

/**
 * For a zone that the runtime does not know, the first and last supplied offsets apply before and after them. The formatter,
 * which takes longer to make than most sets to compile, is made when an instant outside of them is first asked for.
 */
function createOffsetReaderWithFallback(
  name: string,
  first: OffsetSpan,
  last: OffsetSpan,
): (atMs: number) => number {
  let readOffset: ((atMs: number) => number) | null = null;
  return (atMs) => {
    if (!readOffset) {
      try {
        readOffset = createOffsetReader(name);
      } catch {
        readOffset = (ms) => (ms < first.fromMs ? first.offsetMs : last.offsetMs);
      }
    }
    return readOffset(atMs);
  };
}

function findSpansInBlock(blockMs: number, readOffset: (atMs: number) => number): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  let fromMs = blockMs;
  let offsetMs = readOffset(blockMs);
  for (let atMs = blockMs; atMs < blockMs + BLOCK_MS; atMs += PROBE_INTERVAL_MS) {
    const end = atMs + PROBE_INTERVAL_MS;
    let start = atMs;
    const nextOffsetMs = readOffset(end);
    while (offsetMs !== nextOffsetMs) {
      // Bisect, to the second, to the first instant with another offset.
      let unchangedMs = start;
      let changedMs = end;
      while (changedMs - unchangedMs > 1000) {
        const middle = Math.floor((unchangedMs + changedMs) / 2000) * 1000;
        if (readOffset(middle) === offsetMs) {
          unchangedMs = middle;
        } else {
          changedMs = middle;
        }
      }
      spans.push({ fromMs, untilMs: changedMs, offsetMs });
      start = fromMs = changedMs;
      offsetMs = readOffset(changedMs);
    }
  }
  spans.push({ fromMs, untilMs: blockMs + BLOCK_MS, offsetMs });
  return spans;
}

/** Reads the offset of a zone at an instant from `Intl`: exact and slow. */
function createOffsetReader(name: string): (atMs: number) => number {
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
    const atMs = Math.min(Math.max(instantMs, -MAX_INSTANT_MS), MAX_INSTANT_MS);
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
    for (const { type, value } of format.formatToParts(atMs)) {
      parts[type] = value;
    }
    const yearOfEra = Number(parts.year);
    const year = parts.era?.startsWith('B') ? 1 - yearOfEra : yearOfEra;
    // Date.UTC would map the years 0 to 99 to 1900 to 1999.
    const midnightMs = dayNumber(year, Number(parts.month), Number(parts.day)) * MS_PER_DAY;
    const seconds = (Number(parts.hour) * 60 + Number(parts.minute)) * 60 + Number(parts.second);
    return midnightMs + seconds * 1000 - Math.floor(atMs / 1000) * 1000;
  };
}
