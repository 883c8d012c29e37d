import { Readable } from 'node:stream';
import { analyticsOperations as operations, PLAY_COLUMNS } from '@placard/protocol/api';
import type { PlayGroup } from '@placard/protocol/api';
import { invalid } from '../../domain/refusal.ts';
import { createUptime, observedIn, percentOf } from '../../domain/uptime.ts';
import type { Span, Uptime } from '../../domain/uptime.ts';
import type { PlayCounts, PlayFilter } from '../../store/play-counts.ts';
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

export function analyticsRoutes({ store, retention }: Pick<HttpDeps, 'store' | 'retention'>): Route[] {
  const reports = createLongWork(MOST_AT_ONCE, 'reports');
  const keptMs = retention.playDays * DAY_MS;
  return [
    route(operations.getAnalytics, async (call) => {
      const { query, nowMs } = call;
      const span = spanOf(query, nowMs);
      const { devices, counts } = await reports.run(call, async (signal) => ({
        devices: await uptimes(store, { span, nowMs, keptMs, signal }),
        counts: await store.plays.count({ ...span, signal }),
      }));
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
          ...presentCounts(counts),
        },
      };
    }),
    route(operations.getPlays, async (call) => {
      const { query, nowMs } = call;
      const filter = filterOf(query, nowMs);
      const stepMs = query.group_by === 'hour' ? 3_600_000 : query.group_by === 'day' ? DAY_MS : Infinity;
      if ((filter.toMs - filter.fromMs) / stepMs > MOST_ROWS)
        throw invalid([{ path: 'group_by', message: `gives more than ${MOST_ROWS} rows` }]);
      const { rows, names } = await reports.run(call, async (signal) => {
        const known = await namesFor(store, query.group_by);
        return {
          rows: await store.plays.countBy(query.group_by, { ...filter, signal }, known.isKnown),
          names: known,
        };
      });
      const shown = rows.slice((query.page - 1) * query.limit, query.page * query.limit);
      const named = await names.present(shown.map(({ key }) => key));
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
    route(operations.getUptime, async (call) => {
      const { query, nowMs } = call;
      const span = spanOf(query, nowMs);
      const devices = await reports.run(call, (signal) => uptimes(store, { span, nowMs, keptMs, signal }));
      const rows = devices.map(({ device, uptime }) => ({
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

type DeviceRow = Pick<Row<'devices'>, 'id' | 'name' | 'status' | 'created_at'>;

interface Asked {
  span: Span;
  nowMs: number;
  /** How long it is kept when devices were online. */
  keptMs: number;
  signal: AbortSignal;
}

async function uptimes(store: Store, { span, nowMs, keptMs, signal }: Asked) {
  // The future was not observed yet, and what came before is forgotten, not offline.
  const within = { fromMs: Math.max(span.fromMs, nowMs - keptMs), toMs: Math.min(span.toMs, nowMs) };
  const observed = observedIn(
    within,
    (await store.presence.observed(within.fromMs, within.toMs)).map((row) => ({
      fromMs: row.started_at,
      toMs: row.ended_at,
    })),
  );
  const known = new Map<string, { device: DeviceRow; uptime: ReturnType<typeof createUptime> }>();
  for await (const devices of store.presence.devices())
    for (const device of devices)
      known.set(device.id, { device, uptime: createUptime(device.created_at, observed) });
  /** When each device came that is still there. */
  const since = new Map<string, number>();
  for await (const rows of store.presence.spans(within.fromMs, within.toMs, signal))
    for (const { device_id: id, started_at: fromMs, ended_at: endedMs } of rows) {
      if (endedMs === null) since.set(id, fromMs);
      else known.get(id)?.uptime.add({ fromMs, toMs: Math.min(endedMs, since.get(id) ?? Infinity) });
    }
  for (const [id, fromMs] of since) known.get(id)?.uptime.add({ fromMs, toMs: nowMs });
  return [...known.values()].map(({ device, uptime }) => ({ device, uptime: uptime.sum() }));
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
