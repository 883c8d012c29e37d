import { play as playSchema } from '@placard/protocol';
import type { Play, PlaysResponse } from '@placard/protocol';
import { playerOperations as operations } from '@placard/protocol/api';
import type { Logger } from 'pino';
import { z } from 'zod';
import { setMostRecent } from '../domain/lru-map.ts';
import { DAY_MS } from '../domain/durations.ts';
import { createDailyQuota, secondsUntilTomorrow } from '../domain/daily-quota.ts';
import { findPlayProblem } from '../domain/device-report.ts';
import { validationMessage } from '../domain/validation-message.ts';
import { ApiError } from '../domain/api-error.ts';
import { route } from '../http-server/operation-route.ts';
import type { Route } from '../http-server/operation-route.ts';
import { toIso } from '../domain/iso-time.ts';
import { presentDevice } from '../http-server/present.ts';
import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';
import { requireDeviceId, requirePairedDevice } from './paired-device.ts';

const DEFAULT_QUOTA = {
  /** Plays that started on one day (UTC); one per second would be 86,400. */
  shownPerDay: 100_000,
  /** New plays received on one day: a backlog of 30 days offline, with an item every 10 seconds. */
  receivedPerDay: 259_200,
};
export type PlayQuota = typeof DEFAULT_QUOTA;

/** Cached counts per device and day: covers the whole retention period for many devices. */
const MAX_CACHED_COUNTS = 50_000;

export interface PlayRoutesDeps {
  database: CloudDatabase;
  log: Logger;
  /** Days for which plays are stored. */
  retentionDays: number;
  quota?: Partial<PlayQuota> | undefined;
}

/** Receives plays. Plays over the daily quota are rejected in the response, or must be sent again the next day. */
export function playRoutes({ database, log, retentionDays, ...deps }: PlayRoutesDeps): Route[] {
  const quota = { ...DEFAULT_QUOTA, ...deps.quota };
  const received = createDailyQuota(quota.receivedPerDay);
  /** Stored plays per device and day; least recently used first. */
  const dayCounts = new Map<string, number>();
  return [
    route(operations.sendPlays, async ({ deviceId, body, nowMs }) => {
      const id = requireDeviceId(deviceId);
      if (received.remaining(id, nowMs) === 0) {
        if (received.markExceeded(id, nowMs)) {
          log.warn({ device_id: deviceId, limit: received.limit, of: 'received' }, 'plays.quota_exceeded');
        }
        // Nothing is lost: the device keeps unacknowledged plays.
        throw new ApiError(
          'RATE_LIMITED',
          `This device has sent ${received.limit} new plays today, the daily limit; send the rest tomorrow.`,
          {
            details: { reason: 'plays_quota', limit: received.limit },
            headers: { 'retry-after': String(secondsUntilTomorrow(nowMs)) },
          },
        );
      }
      const { newCount, exceededDay, isFirst, countsByDay, ...data } = await database.transaction(
        async (tx) => {
          const device = await requirePairedDevice(tx, deviceId);
          const result = await recordPlays(tx, device.id, body.plays, nowMs);
          const isFirst = result.exceededDay !== null && received.markExceeded(id, nowMs);
          if (isFirst) {
            await notifyQuotaExceeded(tx, device.id, result.exceededDay, nowMs);
          }
          return { ...result, isFirst };
        },
      );
      received.add(id, newCount, nowMs);
      for (const [dayMs, count] of countsByDay) {
        setMostRecent(dayCounts, cacheKey(id, dayMs), count, MAX_CACHED_COUNTS);
      }
      if (isFirst) {
        log.warn({ device_id: deviceId, limit: quota.shownPerDay, day: exceededDay }, 'plays.quota_exceeded');
      }
      return { data };
    }),
  ];

  /** Uses few statements per batch: 500 plays must not block other requests. */
  async function recordPlays(tx: Transaction, deviceId: string, plays: readonly unknown[], nowMs: number) {
    const parsedPlays = plays.map((each) => parsePlay(each, nowMs));
    const knownIds = await tx.plays.findExistingIds(
      deviceId,
      parsedPlays.flatMap((play) => (typeof play === 'string' ? [] : [play.id])),
    );
    const accepted: string[] = [];
    const rejected: PlaysResponse['rejected'] = [];
    const countsByDay = new Map<number, number>();
    const newPlays: Play[] = [];
    const oldestMs = nowMs - retentionDays * DAY_MS;
    let exceededDay: string | null = null;
    for (const [index, play] of parsedPlays.entries()) {
      if (typeof play === 'string') {
        rejected.push({ index, id: readId(plays[index]), message: play.slice(0, 500) });
        continue;
      }
      if (knownIds.has(play.id)) {
        accepted.push(play.id);
        continue;
      }
      const startedMs = Date.parse(play.started_at);
      if (startedMs < oldestMs) {
        const message = `started_at: this play is older than the ${retentionDays} days for which plays are kept`;
        rejected.push({ index, id: play.id, message });
        continue;
      }
      const dayMs = Math.floor(startedMs / DAY_MS) * DAY_MS;
      const count =
        countsByDay.get(dayMs) ??
        dayCounts.get(cacheKey(deviceId, dayMs)) ??
        (await tx.plays.countOnDay(deviceId, dayMs));
      countsByDay.set(dayMs, count);
      if (count >= quota.shownPerDay) {
        exceededDay = toIso(dayMs).slice(0, 10);
        const message = `started_at: this device already has ${quota.shownPerDay} plays on ${exceededDay}; no more are counted`;
        rejected.push({ index, id: play.id, message });
        continue;
      }
      newPlays.push(play);
      // A play that occurs twice in one request is stored once.
      knownIds.add(play.id);
      countsByDay.set(dayMs, count + 1);
      accepted.push(play.id);
    }
    await tx.plays.add(deviceId, newPlays, nowMs);
    return { accepted, rejected, newCount: newPlays.length, exceededDay, countsByDay };
  }

  async function notifyQuotaExceeded(
    tx: Transaction,
    deviceId: string,
    day: string | null,
    nowMs: number,
  ): Promise<void> {
    const device = await tx.devices.find(deviceId);
    if (!device) {
      return;
    }
    // Not in `FAULTS`, the codes of players: only the cloud reports this one.
    const fault = { code: 'plays.over_quota', since: toIso(nowMs), facts: { day, limit: quota.shownPerDay } };
    await tx.notifyWebhooks({
      type: 'device.alert',
      resource: deviceId,
      data: { device: presentDevice(device), fault },
    });
  }
}

const cacheKey = (deviceId: string, dayMs: number): string => `${dayMs} ${deviceId}`;

/** An outcome of a newer player that this cloud does not know is stored as `interrupted`, with the outcome as the reason. */
const outcomeSchema = z.looseObject({ outcome: z.string().max(100) });

function replaceUnknownOutcome(value: unknown): unknown {
  const sent = outcomeSchema.safeParse(value).data;
  if (!sent || playSchema.shape.outcome.safeParse(sent.outcome).success) {
    return value;
  }
  return { ...sent, outcome: 'interrupted', reason: `outcome: ${sent.outcome}` };
}

/** Returns the play, or a validation message. */
function parsePlay(value: unknown, nowMs: number): Play | string {
  const parsed = playSchema.safeParse(replaceUnknownOutcome(value), { error: validationMessage });
  if (!parsed.success) {
    return parsed.error.issues
      .map((issue) => `${issue.path.join('.') || 'play'}: ${issue.message}`)
      .join('; ');
  }
  return findPlayProblem(parsed.data, nowMs) ?? parsed.data;
}

const readId = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
    ? value.id.slice(0, 200)
    : null;
