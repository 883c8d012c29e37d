import { Readable } from 'node:stream';
import { analyticsOperations as operations, PLAY_COLUMNS } from '@placard/protocol/api';
import type { PlayGroup } from '@placard/protocol/api';
import { DAY_MS } from '../../domain/durations.ts';
import { validationError } from '../../domain/api-error.ts';
import { createUptimeCounter, createObservedDuration, uptimePercent } from '../../domain/uptime.ts';
import type { TimeSpan, Uptime } from '../../domain/uptime.ts';
import type { PlayCounts, PlayFilter } from '../../database/play-counts.ts';
import type { Row } from '../../database/schema.ts';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import { pagedResult, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { createConcurrencyLimit } from '../concurrency-limit.ts';
import { toIso } from '../../domain/iso-time.ts';
import { toTimeSpan } from '../request-checks.ts';
import type { RangeQuery } from '../request-checks.ts';

const MAX_ROWS = 10_000;
/** Concurrent report requests per API key; a dashboard that shows all reports needs six. */
const MAX_CONCURRENT_REPORTS = 8;

export function analyticsRoutes({ database, retention }: HttpDeps): Route[] {
  const reports = createConcurrencyLimit(MAX_CONCURRENT_REPORTS, 'reports');
  const retentionMs = retention.playDays * DAY_MS;
  return [
    route(operations.getAnalytics, async (call) => {
      const { query, nowMs } = call;
      const span = toTimeSpan(query, nowMs);
      const { devices, counts } = await reports.run(call, async (signal) => ({
        devices: await readUptimes(database, { span, nowMs, retentionMs, signal }),
        counts: await database.plays.count({ ...span, signal }),
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
          from: toIso(span.fromMs),
          to: toIso(span.toMs),
          devices: devices.length,
          online: devices.filter(({ device }) => device.status === 'online').length,
          ...presentUptime(total),
          ...presentCounts(counts),
        },
      };
    }),
    route(operations.getPlays, async (call) => {
      const { query, nowMs } = call;
      const filter = toPlayFilter(query, nowMs);
      const stepMs = query.group_by === 'hour' ? 3_600_000 : query.group_by === 'day' ? DAY_MS : Infinity;
      if ((filter.toMs - filter.fromMs) / stepMs > MAX_ROWS) {
        throw validationError([{ path: 'group_by', message: `would return more than ${MAX_ROWS} rows` }]);
      }
      const { rows, names } = await reports.run(call, async (signal) => {
        const groupNames = await createGroupNames(database, query.group_by);
        return {
          rows: await database.plays.countBy(query.group_by, { ...filter, signal }, groupNames.isKnown),
          names: groupNames,
        };
      });
      const shown = rows.slice((query.page - 1) * query.limit, query.page * query.limit);
      const named = await names.present(shown.map(({ key }) => key));
      return pagedResult(
        shown.map(({ key, ...counts }) => ({ ...named(key), ...presentCounts(counts) })),
        rows.length,
        query,
      );
    }),
    route(operations.exportPlays, async (call) => {
      const filter = toPlayFilter(call.query, call.nowMs);
      const { signal, release } = reports.acquire(call);
      const stream = Readable.from(writeCsv(database, { ...filter, signal }), { objectMode: false });
      stream.once('close', release);
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
      const span = toTimeSpan(query, nowMs);
      const devices = await reports.run(call, (signal) =>
        readUptimes(database, { span, nowMs, retentionMs, signal }),
      );
      const rows = devices.map(({ device, uptime }) => ({
        device_id: device.id,
        name: device.name,
        status: device.status,
        ...presentUptime(uptime),
      }));
      return { data: rows.toSorted((a, b) => sortValueOf(a.uptime_percent) - sortValueOf(b.uptime_percent)) };
    }),
  ];
}

/** Devices that were never observed sort last. */
const sortValueOf = (percent: number | null): number => percent ?? 101;

function toPlayFilter(
  query: RangeQuery & {
    device_id?: string | undefined;
    content_id?: string | undefined;
    playlist_id?: string | undefined;
  },
  nowMs: number,
): PlayFilter {
  return {
    ...toTimeSpan(query, nowMs),
    deviceId: query.device_id,
    contentId: query.content_id,
    playlistId: query.playlist_id,
  };
}

type DeviceRow = Pick<Row<'devices'>, 'id' | 'name' | 'status' | 'created_at'>;

interface UptimeQuery {
  span: TimeSpan;
  nowMs: number;
  /** How long presence history is kept. */
  retentionMs: number;
  signal: AbortSignal;
}

async function readUptimes(database: CloudDatabase, { span, nowMs, retentionMs, signal }: UptimeQuery) {
  // The future is not observed yet; time before the retention period is unknown, not offline.
  const range = { fromMs: Math.max(span.fromMs, nowMs - retentionMs), toMs: Math.min(span.toMs, nowMs) };
  const observed = createObservedDuration(
    range,
    (await database.presence.observed(range.fromMs, range.toMs)).map((row) => ({
      fromMs: row.started_at,
      toMs: row.ended_at,
    })),
  );
  const devicesById = new Map<
    string,
    { device: DeviceRow; uptime: ReturnType<typeof createUptimeCounter> }
  >();
  for await (const devices of database.presence.devices()) {
    for (const device of devices) {
      devicesById.set(device.id, { device, uptime: createUptimeCounter(device.created_at, observed) });
    }
  }
  /** Start of the open presence span of each device that is online. */
  const openSince = new Map<string, number>();
  for await (const rows of database.presence.spans(range.fromMs, range.toMs, signal)) {
    for (const { device_id: id, started_at: fromMs, ended_at: endedMs } of rows) {
      if (endedMs === null) {
        openSince.set(id, fromMs);
      } else {
        devicesById.get(id)?.uptime.add({ fromMs, toMs: Math.min(endedMs, openSince.get(id) ?? Infinity) });
      }
    }
  }
  for (const [id, fromMs] of openSince) {
    devicesById.get(id)?.uptime.add({ fromMs, toMs: nowMs });
  }
  return [...devicesById.values()].map(({ device, uptime }) => ({ device, uptime: uptime.sum() }));
}

const presentUptime = (uptime: Uptime) => ({
  uptime_percent: uptimePercent(uptime),
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

/** Which group keys belong to existing resources, and the labels of one page: id and name, or start of the hour or day. */
async function createGroupNames(database: CloudDatabase, group: PlayGroup) {
  if (group === 'hour' || group === 'day') {
    return {
      isKnown: () => true,
      present: async () => (key: Key) => ({ key: toIso(Number(key)), name: toIso(Number(key)) }),
    };
  }
  const ids = await database.presence.ids(group);
  return {
    isKnown: (key: Key) => ids.has(String(key)),
    present: async (keys: readonly Key[]) => {
      const names = await database.presence.names(group, keys.map(String));
      return (key: Key) => ({
        key: key === '' ? null : String(key),
        name: names.get(String(key)) ?? null,
      });
    },
  };
}

async function* writeCsv(database: CloudDatabase, filter: PlayFilter): AsyncGenerator<string> {
  yield `${PLAY_COLUMNS.join(',')}\r\n`;
  for await (const rows of database.plays.export(filter)) {
    yield rows.map(csvLine).join('');
  }
}

function csvLine(row: Row<'plays'>): string {
  const shown = { ...row, started_at: toIso(row.started_at), ended_at: toIso(row.ended_at) };
  return `${PLAY_COLUMNS.map((column) => csvCell(shown[column])).join(',')}\r\n`;
}

function csvCell(value: string | number | null): string {
  if (value === null) {
    return '';
  }
  // CSV injection: spreadsheets evaluate cells that start like a formula.
  const text = /^[=+\-@\t\r]/.test(String(value)) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
