const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How many days each period has; the last one is today, in UTC as the API counts days. A day is the last 24 hours. */
const PERIOD_DAYS = { day: 1, week: 7, month: 30, quarter: 90 } as const;
export type Period = keyof typeof PERIOD_DAYS;
export const PERIODS = ['day', 'week', 'month', 'quarter'] as const satisfies readonly Period[];

export const GROUPS = ['content', 'device', 'store', 'playlist', 'time'] as const;
/** What plays are counted by. */
export type Group = (typeof GROUPS)[number];

/** The address of the page. */
export interface AnalyticsSearch {
  /** Absent: a week. */
  period?: Period;
  /** Days `YYYY-MM-DD` in UTC, both included; they replace the period. */
  from?: string;
  to?: string;
  /** Absent: by content. */
  by?: Group;
  content?: string;
  device?: string;
  playlist?: string;
  page?: number;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** A day that exists. */
function day(value: unknown): string | undefined {
  const ms = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== value ? undefined : value;
}

/** Reads the parameters of an address; what is unknown or empty is left out. */
export function toAnalyticsSearch(search: Readonly<Record<string, unknown>>): AnalyticsSearch {
  const [from, to] = [day(search['from']), day(search['to'])];
  const isRange = from !== undefined && to !== undefined && from <= to;
  const page = Number(search['page']);
  const read = {
    period: isRange ? undefined : PERIODS.find((each) => each === search['period']),
    from: isRange ? from : undefined,
    to: isRange ? to : undefined,
    by: GROUPS.find((each) => each === search['by']),
    content: text(search['content']),
    device: text(search['device']),
    playlist: text(search['playlist']),
    page: Number.isInteger(page) && page > 1 ? page : undefined,
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

export interface Span {
  fromMs: number;
  toMs: number;
  /** The steps in which plays are counted over the span. */
  step: 'hour' | 'day';
}

/** The time that an address means. Whole hours or days, so that the first step is not a part of one. */
export function spanOf({ period = 'week', from, to }: AnalyticsSearch, nowMs: number): Span {
  if (from !== undefined && to !== undefined) {
    const [fromMs, toMs] = [Date.parse(from), Date.parse(to) + DAY_MS];
    return { fromMs, toMs, step: toMs - fromMs > 2 * DAY_MS ? 'day' : 'hour' };
  }
  if (period === 'day') {
    return { fromMs: Math.floor(nowMs / HOUR_MS) * HOUR_MS - 23 * HOUR_MS, toMs: nowMs, step: 'hour' };
  }
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS;
  return { fromMs: today - (PERIOD_DAYS[period] - 1) * DAY_MS, toMs: nowMs, step: 'day' };
}

/** The start of each hour or day of a span until now: the API leaves out those without plays. */
export function stepsOf({ fromMs, toMs, step }: Span, nowMs: number): number[] {
  const stepMs = step === 'hour' ? HOUR_MS : DAY_MS;
  const count = Math.max(0, Math.ceil((Math.min(toMs, nowMs) - fromMs) / stepMs));
  return Array.from({ length: count }, (_, index) => fromMs + index * stepMs);
}
