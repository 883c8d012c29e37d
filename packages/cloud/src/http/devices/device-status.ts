import { deviceStatusOperations as operations } from '@placard/protocol/api';
import type { HeartbeatBucket } from '@placard/protocol/api';
import { explainActiveSchedule, extractIds, appendNames } from '../../domain/active-schedule-explanation.ts';
import type {
  ExplainedCandidate,
  ActiveScheduleExplanation,
} from '../../domain/active-schedule-explanation.ts';
import type { SharedPart } from '../../domain/device-classes.ts';
import { createScheduleEvaluator } from '../../domain/schedule-evaluator.ts';
import { validationError } from '../../domain/api-error.ts';
import { INTERVAL_MS } from '../../database/heartbeats.ts';
import type { BucketRow } from '../../database/heartbeats.ts';
import { offsetOf } from '../../database/list-part.ts';
import type { Repositories } from '../../database/cloud-database.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { toIso, toIsoOrNull } from '../../domain/iso-time.ts';
import { presentShown } from '../../http-server/present-shown.ts';
import { toTimeSpan } from '../request-checks.ts';
import { requireDevice } from './device-detail.ts';

const MAX_BUCKETS = 10_000;

/** Heartbeats of a device, and the schedule rule that is active on it. */
export function deviceStatusRoutes({ database }: HttpDeps): Route[] {
  const schedules = createScheduleEvaluator();
  return [
    route(operations.listHeartbeats, async ({ params, query, nowMs }) => {
      // Those of a removed device stay for reports.
      if (!(await database.heartbeats.hasSamples(params.id))) {
        await requireDevice(database, params.id);
      }
      const { fromMs, toMs } = toTimeSpan(query, nowMs, 1);
      const buckets = Math.ceil((toMs - fromMs) / INTERVAL_MS[query.interval]);
      if (buckets > MAX_BUCKETS) {
        throw validationError([
          {
            path: 'interval',
            message: `would return ${buckets} buckets; at most ${MAX_BUCKETS} are allowed`,
          },
        ]);
      }
      const rows = await database.heartbeats.buckets(params.id, query.interval, fromMs, toMs);
      return { data: rows.map(presentBucket) };
    }),
    route(operations.getActiveSchedule, async ({ params, query, nowMs }) => {
      const device = await requireDevice(database, params.id);
      const manifests = await database.manifestBuilder();
      const { content } = manifests;
      const { timezone } = content.settings;
      const at = query.at === undefined ? nowMs : Date.parse(query.at);
      const active = schedules.evaluate(manifests, device, at);
      const explanation = explainActiveSchedule(content, active, device, () =>
        schedules.activeRules(content),
      );
      const { page, limit } = query;
      return {
        data: {
          at: toIso(at),
          timezone,
          local_timezone: content.storeZones.get(device.store_id ?? '') ?? null,
          ...presentShown(content, active),
          until: toIsoOrNull(active.until),
          candidates: await presentCandidates(database, explanation, offsetOf(query), limit),
          candidates_meta: { page, limit, total: explanation.total },
          warnings: warnOfMissingZone(manifests.partOf(manifests.classOf(device)), timezone),
        },
      };
    }),
  ];
}

function warnOfMissingZone({ usesLocalTime, localZone }: SharedPart, timezone: string) {
  if (!usesLocalTime || localZone) {
    return [];
  }
  const message =
    'Rules with local_time reach this device, which is in no store with a time zone: they are read in that of the ' +
    `organization, ${timezone}.`;
  return [{ code: 'STORE_HAS_NO_TIME_ZONE', message }];
}

/** One page of the candidates, with names for the ids in their reasons. */
async function presentCandidates(
  repositories: Repositories,
  explanation: ActiveScheduleExplanation,
  offset: number,
  limit: number,
): Promise<ExplainedCandidate[]> {
  const pageOfCandidates = explanation.candidates(offset, offset + limit);
  const ids = [...new Set(pageOfCandidates.flatMap(({ reason }) => extractIds(reason)))];
  const names = new Map([
    ...(await repositories.devices.findNames(ids.filter((id) => id.startsWith('dev_')))),
    ...(await repositories.stores.findNames(ids.filter((id) => id.startsWith('store_')))),
  ]);
  const nameOf = (id: string) => names.get(id) ?? explanation.scheduleNameOf(id);
  return pageOfCandidates.map((each) => ({ ...each, reason: appendNames(each.reason, nameOf) }));
}

/**
 * To two decimals, half up. The error of a sum of floating-point numbers, which depends on their order, must not decide
 * how a half is rounded.
 */
export const roundAverage = (value: number): number => Math.round(value * 100 + 1e-6) / 100;

function presentBucket(row: BucketRow): HeartbeatBucket {
  const measure = (name: 'cpu' | 'memory' | 'disk' | 'temperature' | 'wifi') => {
    const [sum, min, max] = [row[`${name}_sum`], row[`${name}_min`], row[`${name}_max`]];
    if (sum === null || min === null || max === null) {
      return null;
    }
    return { avg: roundAverage(sum / row[`${name}_count`]), min, max };
  };
  return {
    timestamp: toIso(row.bucket),
    samples: row.samples,
    cpu_percent: measure('cpu'),
    memory_percent: measure('memory'),
    disk_percent: measure('disk'),
    temperature_celsius: measure('temperature'),
    wifi_signal_dbm: measure('wifi'),
  };
}
