import { Readable } from 'node:stream';
import { analyticsOperations as operations, PLAY_COLUMNS } from '@placard/protocol/api';
import type { PlayGroup } from '@placard/protocol/api';
import { invalid } from '../../domain/refusal.ts';
import { percentOf, uptimeOf } from '../../domain/uptime.ts';
import type { Span, Uptime } from '../../domain/uptime.ts';
import type { PlayCounts, PlayFilter } from '../../store/play-counts.ts';
import { groupBy } from '../../store/paging.ts';
import type { Row } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import { page, route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { createLongWork } from '../long-work.ts';
import { iso } from '../present.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;
const MOST_ROWS = 10_000;
/** Reports of one key that are read at the same time; a page that shows all kinds of them asks for six. */
const MOST_AT_ONCE = 8;

export function analyticsRoutes({ store }: Pick<HttpDeps, 'store'>): Route[] {
  const reports = createLongWork(MOST_AT_ONCE, 'reports');
  return [
    route(operations.getAnalytics, async (call) => {
      const { query, nowMs } = call;
      const span = spanOf(query, nowMs);
      const devices = await uptimes(store, span, nowMs);
      const total = devices.reduce<Uptime>(
        (sum, { uptime }) => ({
          observedMs: sum.observedMs + uptime.observedMs,
          onlineMs: sum.onlineMs + uptime.onlineMs,
        }),
        { observedMs: 0, onlineMs: 0 },
      );
      return {
        data: {
          from: iso(span.fromMs),
          to: iso(span.toMs),
          devices: devices.length,
          online: devices.filter(({ device }) => device.status === 'online').length,
          ...presentUptime(total),
          ...presentCounts(await reports.run(call, (signal) => store.plays.count({ ...span, signal }))),
        },
      };
    }),
    route(operations.getPlays, async (call) => {
      const { query, nowMs } = call;
      const filter = filterOf(query, nowMs);
      const stepMs = query.group_by === 'hour' ? 3_600_000 : query.group_by === 'day' ? DAY_MS : Infinity;
      if ((filter.toMs - filter.fromMs) / stepMs > MOST_ROWS)
        throw invalid([{ path: 'group_by', message: `gives more than ${MOST_ROWS} rows` }]);
      const { isKnown, present } = await namesFor(store, query.group_by);
      const rows = await reports.run(call, (signal) =>
        store.plays.countBy(query.group_by, { ...filter, signal }, isKnown),
      );
      const shown = rows.slice((query.page - 1) * query.limit, query.page * query.limit);
      const named = await present(shown.map(({ key }) => key));
      return page(
        shown.map(({ key, ...counts }) => ({ ...named(key), ...presentCounts(counts) })),
        rows.length,
        query,
      );
    }),
    route(operations.exportPlays, async (call) => {
      const filter = filterOf(call.query, call.nowMs);
      const { signal, end } = reports.begin(call);
      const stream = Readable.from(csvOf(store, { ...filter, signal }), { objectMode: false });
      stream.once('close', end);
      signal.addEventListener('abort', () => stream.destroy());
      return {
        stream,
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="plays.csv"',
        },
      };
    }),
    route(operations.getUptime, async ({ query, nowMs }) => {
      const rows = (await uptimes(store, spanOf(query, nowMs), nowMs)).map(({ device, uptime }) => ({
        device_id: device.id,
        name: device.name,
        status: device.status,
        ...presentUptime(uptime),
      }));
      return { data: rows.toSorted((a, b) => rankOf(a.uptime_percent) - rankOf(b.uptime_percent)) };
    }),
  ];
}

/** What was never observed comes last. */
const rankOf = (percent: number | null): number => percent ?? 101;

interface Range {
  from?: string | undefined;
  to?: string | undefined;
}

function spanOf(query: Range, nowMs: number): Span {
  const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
  const fromMs = query.from === undefined ? toMs - DEFAULT_DAYS * DAY_MS : Date.parse(query.from);
  if (fromMs > toMs) throw invalid([{ path: 'from', message: 'must not be after to' }]);
  return { fromMs, toMs };
}

function filterOf(
  query: Range & {
    device_id?: string | undefined;
    content_id?: string | undefined;
    playlist_id?: string | undefined;
  },
  nowMs: number,
): PlayFilter {
  return {
    ...spanOf(query, nowMs),
    deviceId: query.device_id,
    contentId: query.content_id,
    playlistId: query.playlist_id,
  };
}

async function uptimes(store: Store, span: Span, nowMs: number) {
  // The future was not observed yet.
  const within = { fromMs: span.fromMs, toMs: Math.min(span.toMs, nowMs) };
  const observed = (await store.presence.observed(within.fromMs, within.toMs)).map((row) => ({
    fromMs: row.started_at,
    toMs: row.ended_at,
  }));
  const online = groupBy(await store.presence.spans(within.fromMs, within.toMs), (row) => row.device_id);
  return (await store.presence.devices()).map((device) => {
    const spans = (online.get(device.id) ?? []).map((row) => ({
      fromMs: row.started_at,
      toMs: row.ended_at ?? nowMs,
    }));
    return { device, uptime: uptimeOf(within, device.created_at, observed, spans) };
  });
}

const presentUptime = (uptime: Uptime) => ({
  uptime_percent: percentOf(uptime),
  observed_seconds: Math.round(uptime.observedMs / 1000),
  online_seconds: Math.round(uptime.onlineMs / 1000),
});

const presentCounts = ({ play_ms: ms, plays, completed, interrupted, failed }: PlayCounts) => ({
  plays,
  play_seconds: Math.round(ms / 1000),
  completed,
  interrupted,
  failed,
});

type Key = string | number;

/** Which groups are of things that exist, and how those of a page are called: id and name, or the start of the hour or day. */
async function namesFor(store: Store, group: PlayGroup) {
  if (group === 'hour' || group === 'day')
    return {
      isKnown: () => true,
      present: async () => (key: Key) => ({ key: iso(Number(key)), name: iso(Number(key)) }),
    };
  const ids = await store.presence.ids(group);
  return {
    isKnown: (key: Key) => ids.has(String(key)),
    present: async (keys: readonly Key[]) => {
      const names = await store.presence.names(group, keys.map(String));
      return (key: Key) => ({
        key: key === '' ? null : String(key),
        name: names.get(String(key)) ?? null,
      });
    },
  };
}

async function* csvOf(store: Store, filter: PlayFilter): AsyncGenerator<string> {
  yield `${PLAY_COLUMNS.join(',')}\r\n`;
  for await (const rows of store.plays.export(filter)) yield rows.map(csvLine).join('');
}

function csvLine(row: Row<'plays'>): string {
  const shown = { ...row, started_at: iso(row.started_at), ended_at: iso(row.ended_at) };
  return `${PLAY_COLUMNS.map((column) => csvCell(shown[column])).join(',')}\r\n`;
}

function csvCell(value: string | number | null): string {
  if (value === null) return '';
  // A spreadsheet would run a cell that begins like a formula.
  const text = /^[=+\-@\t\r]/.test(String(value)) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
