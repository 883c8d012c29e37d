import { MAX_SEGMENTS, timelineOperations as operations } from '@placard/protocol/api';
import type { DeviceMoment, Timeline } from '@placard/protocol/api';
import type { ScheduleEvaluation } from '@placard/schedule';
import type { SharedPart } from '../../domain/device-classes.ts';
import { toIso, toIsoOrNull } from '../../domain/iso-time.ts';
import { createScheduleEvaluator } from '../../domain/schedule-evaluator.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';
import { listResult, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import { createConcurrencyLimit } from '../concurrency-limit.ts';
import type { HttpDeps } from '../deps.ts';
import { requireDevice } from '../devices/device-detail.ts';
import { toComingSpan } from '../request-checks.ts';
import { presentShown } from '../../http-server/present-shown.ts';

/** Concurrent requests per API key. */
const MAX_CONCURRENT_TIMELINES = 8;

/** What devices show when, and why. */
export function timelineRoutes({ database }: HttpDeps): Route[] {
  const schedules = createScheduleEvaluator();
  const timelines = createConcurrencyLimit(MAX_CONCURRENT_TIMELINES, 'timelines');
  return [
    route(operations.getTimeline, async (call) => {
      const { fromMs, toMs } = toComingSpan(call.query, call.nowMs);
      const device = await requireDevice(database, call.params.id);
      const manifests = await database.manifestBuilder();
      const { content } = manifests;
      const segments: Timeline['segments'] = [];
      let nextFromMs: number | null = null;
      await timelines.run(call, async (signal) => {
        const yieldIfLong = createYieldIfLong();
        for (const segment of schedules.segments(manifests, device, fromMs, toMs)) {
          if (segments.length === MAX_SEGMENTS) {
            nextFromMs = segment.fromMs;
          }
          if (nextFromMs !== null || signal.aborted) {
            break;
          }
          segments.push({
            start: toIso(segment.fromMs),
            end: toIso(segment.untilMs),
            ...presentShown(content, segment),
          });
          await yieldIfLong();
        }
      });
      return {
        data: {
          device: { id: device.id, name: device.name },
          timezone: content.settings.timezone,
          local_timezone: content.storeZones.get(device.store_id ?? '') ?? null,
          from: toIso(fromMs),
          to: toIso(toMs),
          segments,
          next_from: toIsoOrNull(nextFromMs),
        },
      };
    }),
    route(operations.listTimeline, async (call) => {
      const { query, nowMs, actor } = call;
      const atMs = query.at === undefined ? nowMs : Date.parse(query.at);
      const page = await database.devices.list({ ...query, stores: actor?.stores ?? undefined });
      const { rows } = page;
      const storeIds = rows.flatMap(({ store_id }) => (store_id === null ? [] : [store_id]));
      const storeNames = await database.stores.findNames([...new Set(storeIds)]);
      const manifests = await database.manifestBuilder();
      const { content } = manifests;
      // Devices that are reached alike show the same.
      const evaluations = new Map<SharedPart, ScheduleEvaluation>();
      const data: DeviceMoment[] = [];
      await timelines.run(call, async (signal) => {
        const yieldIfLong = createYieldIfLong();
        for (const device of rows) {
          if (signal.aborted) {
            break;
          }
          const { id, name, store_id } = device;
          const part = manifests.partOf(manifests.classOf(device));
          const shown = evaluations.get(part) ?? schedules.evaluate(manifests, device, atMs);
          evaluations.set(part, shown);
          data.push({
            device: { id, name },
            store: store_id === null ? null : { id: store_id, name: storeNames.get(store_id) ?? '' },
            at: toIso(atMs),
            timezone: content.settings.timezone,
            local_timezone: content.storeZones.get(store_id ?? '') ?? null,
            ...presentShown(content, shown),
            until: toIsoOrNull(shown.until),
          });
          await yieldIfLong();
        }
      });
      return listResult({ ...page, rows: data }, (moment) => moment, query);
    }),
  ];
}
