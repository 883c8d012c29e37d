import type { PlaysResponse } from '@placard/protocol';
import type { Logger } from 'pino';
import { createRecentMap } from '../domain/recent-map.ts';
import { DAY_MS } from '../domain/durations.ts';
import { createDailyQuota, secondsUntilTomorrow } from '../domain/daily-quota.ts';
import { ApiError } from '../domain/api-error.ts';
import { toIso } from '../domain/iso-time.ts';
import { presentDevice } from '../http-server/present.ts';
import { dayOf } from '../database/ordinary-plays.ts';
import type { ReportedPlay } from '../database/plays.ts';
import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';
import { recordTogether } from './record-together.ts';
import { createCommitPace } from './commit-pace.ts';
import { requirePairedDevice } from './paired-device.ts';
import { parsePlay, readPlayId } from './parse-play.ts';

const DEFAULT_QUOTA = {
  /** Plays that started on one day (UTC); one per second would be 86,400. */
  shownPerDay: 100_000,
  /** New plays received on one day: a backlog of 30 days offline, with an item every 10 seconds. */
  receivedPerDay: 259_200,
};
export type PlayQuota = typeof DEFAULT_QUOTA;

/** Counts per device and day that are kept in memory: today and yesterday of 100,000 devices, which report in turn. */
const MIN_CACHED_COUNTS = 200_000;
/** Transactions begin at least this far apart. */
const COMMIT_INTERVAL_MS = 5;
/** Plays in one transaction: more would delay other requests by more than a few milliseconds. */
const MAX_BATCH_PLAYS = 1_000;
/** So many waiting requests are recorded without a pause. */
const MAX_BATCH_REQUESTS = 256;

export interface PlayIntakeDeps {
  database: CloudDatabase;
  log: Logger;
  /** Days for which plays are stored. */
  retentionDays: number;
  quota?: Partial<PlayQuota> | undefined;
}

export interface PlayIntake {
  /**
   * Records plays; resolves with the response once they are on the disk. Rejects with `DEVICE_UNPAIRED` if the device was
   * removed, with `RATE_LIMITED` if it has sent too many, or with the failure of the storage.
   */
  receive: (deviceId: string, plays: readonly unknown[], nowMs: number) => Promise<PlaysResponse>;
}

interface WaitingPlays {
  deviceId: string;
  /** As sent. */
  sent: readonly unknown[];
  /** Valid plays, and messages for others. */
  parsed: readonly (ReportedPlay | string)[];
  nowMs: number;
  answer: (response: PlaysResponse | Promise<PlaysResponse>) => void;
  fail: (error: unknown) => void;
}

/**
 * Receives plays. Ordinary requests that arrive within 5 ms share a transaction, because each waits for the disk.
 * Others, and all of a batch that failed, have their own, so that one that fails does so alone. A failure of the storage
 * refuses all that are waiting.
 *
 * Plays over the daily quota are rejected in the response, or must be sent again the next day.
 */
export function createPlayIntake({ database, log, retentionDays, ...deps }: PlayIntakeDeps): PlayIntake {
  const quota = { ...DEFAULT_QUOTA, ...deps.quota };
  const received = createDailyQuota(quota.receivedPerDay);
  /** Stored plays per device and day. */
  const dayCounts = createRecentMap<string, number>(MIN_CACHED_COUNTS);
  const waiting = new Set<WaitingPlays>();
  const untilNextBatch = createCommitPace(COMMIT_INTERVAL_MS);
  let isRunning = false;

  /** The next requests, oldest first: one per device, so that each sees the counts of the one before. */
  const takeBatch = (): WaitingPlays[] => {
    const batch = new Map<string, WaitingPlays>();
    let size = 0;
    for (const each of waiting) {
      if (batch.has(each.deviceId)) {
        continue;
      }
      size += each.parsed.length;
      if (size > MAX_BATCH_PLAYS && batch.size > 0) {
        break;
      }
      batch.set(each.deviceId, each);
      waiting.delete(each);
    }
    return [...batch.values()];
  };

  /** One batch after the other: cached counts are those that this node has read or stored. */
  const recordBatches = async (): Promise<void> => {
    while (waiting.size > 0) {
      await untilNextBatch(waiting.size >= MAX_BATCH_REQUESTS);
      const batch = takeBatch();
      const arrived = batch.flatMap((each) => toArrivedPlays(each) ?? []);
      const recorded = await recordTogether(() => database.recordOrdinaryPlays(arrived), {
        takeWaiting: () => {
          const all = [...batch, ...waiting];
          waiting.clear();
          return all;
        },
        event: 'plays.batch_failed',
        log,
      });
      if (recorded === 'refused') {
        continue;
      }
      const others: Promise<unknown>[] = [];
      for (const each of batch) {
        const result = recorded?.get(each.deviceId);
        if (result) {
          remember(each, result.newCount, result.countsByDay);
          each.answer(ordinaryResponse(each));
        } else {
          const response = recordAlone(each);
          others.push(response);
          each.answer(response);
        }
      }
      await Promise.allSettled(others);
    }
    isRunning = false;
  };

  const remember = (
    { deviceId, nowMs }: WaitingPlays,
    newCount: number,
    countsByDay: ReadonlyMap<number, number>,
  ): void => {
    received.add(deviceId, newCount, nowMs);
    for (const [dayMs, count] of countsByDay) {
      dayCounts.set(cacheKey(deviceId, dayMs), count);
    }
  };

  /** What `recordOrdinaryPlays` needs; null if a play is too old, which needs a closer look. */
  const toArrivedPlays = ({ deviceId, parsed, nowMs }: WaitingPlays) => {
    const oldestMs = nowMs - retentionDays * DAY_MS;
    const plays = parsed.filter((play) => typeof play !== 'string');
    return plays.some((play) => play.started_at < oldestMs)
      ? null
      : {
          deviceId,
          plays,
          nowMs,
          maxPerDay: quota.shownPerDay,
          countOf: (dayMs: number) => dayCounts.get(cacheKey(deviceId, dayMs)),
        };
  };

  /** Handles every case, in a transaction of its own. */
  const recordAlone = async (request: WaitingPlays): Promise<PlaysResponse> => {
    const { deviceId, nowMs } = request;
    const { newCount, exceededDay, isFirst, countsByDay, ...response } = await database.transaction(
      async (tx) => {
        await requirePairedDevice(tx, deviceId);
        const result = await recordPlays(tx, request);
        const isFirst = result.exceededDay !== null && received.markExceeded(deviceId, nowMs);
        if (isFirst) {
          await notifyQuotaExceeded(tx, deviceId, result.exceededDay, nowMs);
        }
        return { ...result, isFirst };
      },
    );
    remember(request, newCount, countsByDay);
    if (isFirst) {
      log.warn({ device_id: deviceId, limit: quota.shownPerDay, day: exceededDay }, 'plays.quota_exceeded');
    }
    return response;
  };

  /** Uses few statements per batch: 500 plays must not block other requests. */
  async function recordPlays(tx: Transaction, { deviceId, sent, parsed, nowMs }: WaitingPlays) {
    const knownIds = await tx.plays.findExistingIds(
      deviceId,
      parsed.flatMap((play) => (typeof play === 'string' ? [] : [play.id])),
    );
    const accepted: string[] = [];
    const rejected: PlaysResponse['rejected'] = [];
    const countsByDay = new Map<number, number>();
    const newPlays: ReportedPlay[] = [];
    const oldestMs = nowMs - retentionDays * DAY_MS;
    let exceededDay: string | null = null;
    for (const [index, play] of parsed.entries()) {
      if (typeof play === 'string') {
        rejected.push(invalidPlay(index, sent[index], play));
        continue;
      }
      if (knownIds.has(play.id)) {
        accepted.push(play.id);
        continue;
      }
      if (play.started_at < oldestMs) {
        const message = `started_at: this play is older than the ${retentionDays} days for which plays are kept`;
        rejected.push({ index, id: play.id, message });
        continue;
      }
      const dayMs = dayOf(play);
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
    tx.recordEvent({
      type: 'device.alert',
      resource: deviceId,
      data: { device: presentDevice(device), fault },
    });
  }

  /** Throws for a device that has sent too many new plays today. */
  function requireReceiveQuota(deviceId: string, nowMs: number): void {
    if (received.remaining(deviceId, nowMs) > 0) {
      return;
    }
    if (received.markExceeded(deviceId, nowMs)) {
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

  return {
    async receive(deviceId, sent, nowMs) {
      requireReceiveQuota(deviceId, nowMs);
      const parsed = sent.map((each) => parsePlay(each, nowMs));
      return new Promise((answer, fail) => {
        waiting.add({ deviceId, sent, parsed, nowMs, answer, fail });
        if (!isRunning) {
          isRunning = true;
          void recordBatches();
        }
      });
    },
  };
}

const cacheKey = (deviceId: string, dayMs: number): string => `${dayMs} ${deviceId}`;

const invalidPlay = (index: number, sent: unknown, message: string) => ({
  index,
  id: readPlayId(sent),
  message: message.slice(0, 500),
});

/** Every valid play is stored now. */
function ordinaryResponse({ sent, parsed }: WaitingPlays): PlaysResponse {
  const accepted: string[] = [];
  const rejected: PlaysResponse['rejected'] = [];
  for (const [index, play] of parsed.entries()) {
    if (typeof play === 'string') {
      rejected.push(invalidPlay(index, sent[index], play));
    } else {
      accepted.push(play.id);
    }
  }
  return { accepted, rejected };
}
