import { deviceOperations as operations } from '@placard/protocol/api';
import type { HeartbeatBucket } from '@placard/protocol/api';
import { activeAt } from '@placard/schedule';
import { explainActive, idsIn, withNames } from '../../domain/active-explanation.ts';
import type { ExplainedCandidate, Explanation } from '../../domain/active-explanation.ts';
import { createScheduleCompiler } from '../../domain/compiled-schedules.ts';
import { invalid } from '../../domain/refusal.ts';
import { memberOf } from '../../store/devices.ts';
import { INTERVAL_MS } from '../../store/heartbeats.ts';
import type { BucketRow } from '../../store/heartbeats.ts';
import { offsetOf } from '../../store/paging.ts';
import type { Repositories } from '../../store/store.ts';
import { route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { iso, isoOrNull } from '../present.ts';
import { requireDevice } from './devices.ts';

const DAY_MS = 86_400_000;
const MOST_BUCKETS = 10_000;

/** What a device measured, and what it should show. */
export function readingRoutes({ store }: Pick<HttpDeps, 'store'>): Route[] {
  const compile = createScheduleCompiler();
  return [
    route(operations.listHeartbeats, async ({ params, query, nowMs }) => {
      // Those of a removed device stay for reports.
      if (!(await store.heartbeats.has(params.id))) await requireDevice(store, params.id);
      const toMs = query.to === undefined ? nowMs : Date.parse(query.to);
      const fromMs = query.from === undefined ? toMs - DAY_MS : Date.parse(query.from);
      if (fromMs > toMs) throw invalid([{ path: 'from', message: 'must not be after to' }]);
      const buckets = Math.ceil((toMs - fromMs) / INTERVAL_MS[query.interval]);
      if (buckets > MOST_BUCKETS)
        throw invalid([
          { path: 'interval', message: `gives ${buckets} buckets; at most ${MOST_BUCKETS} are answered` },
        ]);
      const rows = await store.heartbeats.buckets(params.id, query.interval, fromMs, toMs);
      return { data: rows.map(presentBucket) };
    }),
    route(operations.getActiveSchedule, async ({ params, query, nowMs }) => {
      const device = await requireDevice(store, params.id);
      const manifests = await store.manifests();
      const { timezone } = manifests.world;
      const at = query.at === undefined ? nowMs : Date.parse(query.at);
      const answer = activeAt(
        compile(manifests.world),
        {
          id: device.id,
          store_id: device.store_id,
          tags: device.tags,
          base_playlist_id: manifests.basePlaylistOf(memberOf(device)),
        },
        at,
      );
      const playlist = manifests.world.playlists.get(answer.playlist_id ?? '');
      const explanation = explainActive(manifests.world, answer, memberOf(device));
      const { page, limit } = query;
      return {
        data: {
          at: iso(at),
          timezone,
          source: answer.source,
          schedule: answer.schedule,
          rule: answer.rule ? presentActiveRule(answer.rule) : null,
          playlist: playlist ? { id: playlist.id, name: playlist.name } : null,
          until: isoOrNull(answer.until),
          reason: explanation.reason,
          candidates: await named(store, explanation, offsetOf(query), limit),
          candidates_meta: { page, limit, total: explanation.total },
        },
      };
    }),
  ];
}

/** One page of the candidates, with names behind the ids that their reasons have. */
async function named(
  from: Repositories,
  explanation: Explanation,
  offset: number,
  limit: number,
): Promise<ExplainedCandidate[]> {
  const shown = explanation.candidates(offset, offset + limit);
  const ids = [...new Set(shown.flatMap(({ reason }) => idsIn(reason)))];
  const names = new Map([
    ...(await from.devices.names(ids.filter((id) => id.startsWith('dev_')))),
    ...(await from.stores.names(ids.filter((id) => id.startsWith('store_')))),
  ]);
  const nameOf = (id: string) => names.get(id) ?? explanation.scheduleNameOf(id);
  return shown.map((each) => ({ ...each, reason: withNames(each.reason, nameOf) }));
}

function presentActiveRule(rule: NonNullable<ReturnType<typeof activeAt>['rule']>) {
  const { created_at: _created, updated_at: _updated, days, ...shown } = rule;
  return { ...shown, days: days ? [...days] : null };
}

function presentBucket(row: BucketRow): HeartbeatBucket {
  const measure = (name: 'cpu' | 'memory' | 'disk' | 'temperature' | 'wifi') => {
    const [sum, min, max] = [row[`${name}_sum`], row[`${name}_min`], row[`${name}_max`]];
    if (sum === null || min === null || max === null) return null;
    return { avg: Math.round((sum / row[`${name}_count`]) * 100) / 100, min, max };
  };
  return {
    timestamp: iso(row.bucket),
    samples: row.samples,
    cpu_percent: measure('cpu'),
    memory_percent: measure('memory'),
    disk_percent: measure('disk'),
    temperature_celsius: measure('temperature'),
    wifi_signal_dbm: measure('wifi'),
  };
}
