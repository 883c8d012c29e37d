import { play as playSchema } from '@placard/protocol';
import type { Play, PlaysResponse } from '@placard/protocol';
import { playerOperations as operations } from '@placard/protocol/api';
import type { Logger } from 'pino';
import { z } from 'zod';
import { createDailyQuota, secondsToTomorrow } from '../domain/daily-quota.ts';
import { faultOfPlay } from '../domain/device-report.ts';
import { problemSentence } from '../domain/problem-sentence.ts';
import { refusal } from '../domain/refusal.ts';
import { route } from '../http/call.ts';
import type { Route } from '../http/call.ts';
import { iso, presentDevice } from '../http/present.ts';
import type { Store, Work } from '../store/store.ts';
import { deviceOf } from './device-of.ts';

const DAY_MS = 86_400_000;

export interface PlayQuota {
  /** Plays that began on one day (UTC); a second each would be 86,400. */
  shownADay: number;
  /** New plays that come in on one day: 30 days without network, an item every 10 seconds. */
  receivedADay: number;
}

const DEFAULT_QUOTA: PlayQuota = { shownADay: 100_000, receivedADay: 259_200 };

/** Counts of days that are remembered: more than days of plays that are kept, for many devices. */
const MOST_COUNTS = 50_000;

export interface PlaysDeps {
  store: Store;
  log: Logger;
  /** Days that plays are kept. */
  keptDays: number;
  quota?: Partial<PlayQuota> | undefined;
}

/** Takes what a device has shown. What is over its quota is named in the answer, or has to come again tomorrow. */
export function playRoutes({ store, log, keptDays, ...deps }: PlaysDeps): Route[] {
  const quota = { ...DEFAULT_QUOTA, ...deps.quota };
  const received = createDailyQuota(quota.receivedADay);
  /** Plays of a device and day as they are stored; the one not asked for longest is first. */
  const counts = new Map<string, number>();
  return [
    route(operations.sendPlays, async ({ deviceId, body, nowMs }) => {
      const id = deviceId ?? '';
      if (received.left(id, nowMs) === 0) {
        if (received.firstOver(id, nowMs))
          log.warn({ event: 'plays.over_quota', deviceId, limit: received.limit, of: 'received' });
        // Nothing is lost: the device keeps them.
        throw refusal(
          'RATE_LIMITED',
          `This device sent ${received.limit} new plays today; send the others tomorrow.`,
          {
            details: { reason: 'plays_quota', limit: received.limit },
            headers: { 'retry-after': String(secondsToTomorrow(nowMs)) },
          },
        );
      }
      const { fresh, over, isFirst, shown, ...data } = await store.transaction(async (work) => {
        const device = await deviceOf(work, deviceId);
        const taken = await take(work, device.id, body.plays, nowMs);
        const isFirst = taken.over !== null && received.firstOver(id, nowMs);
        if (isFirst) await alert(work, device.id, taken.over, nowMs);
        return { ...taken, isFirst };
      });
      received.add(id, fresh, nowMs);
      for (const [dayMs, count] of shown) remember(keyOf(id, dayMs), count);
      if (isFirst) log.warn({ event: 'plays.over_quota', deviceId, limit: quota.shownADay, day: over });
      return { data };
    }),
  ];

  function remember(key: string, count: number): void {
    counts.delete(key);
    counts.set(key, count);
    for (const [oldest] of counts) {
      if (counts.size <= MOST_COUNTS) break;
      counts.delete(oldest);
    }
  }

  /** All of them in a few statements: 500 plays must not keep the others waiting. */
  async function take(work: Work, deviceId: string, plays: readonly unknown[], nowMs: number) {
    const read = plays.map((each) => readPlay(each, nowMs));
    const known = await work.plays.known(
      deviceId,
      read.flatMap((play) => (typeof play === 'string' ? [] : [play.id])),
    );
    const accepted: string[] = [];
    const rejected: PlaysResponse['rejected'] = [];
    const shown = new Map<number, number>();
    const fresh: Play[] = [];
    const oldestMs = nowMs - keptDays * DAY_MS;
    let over: string | null = null;
    for (const [index, play] of read.entries()) {
      if (typeof play === 'string') {
        rejected.push({ index, id: idOf(plays[index]), message: play.slice(0, 500) });
        continue;
      }
      if (known.has(play.id)) {
        accepted.push(play.id);
        continue;
      }
      const startedMs = Date.parse(play.started_at);
      if (startedMs < oldestMs) {
        const message = `started_at: plays are kept for ${keptDays} days, and this one is older`;
        rejected.push({ index, id: play.id, message });
        continue;
      }
      const dayMs = Math.floor(startedMs / DAY_MS) * DAY_MS;
      const count =
        shown.get(dayMs) ??
        counts.get(keyOf(deviceId, dayMs)) ??
        (await work.plays.countOfDay(deviceId, dayMs));
      shown.set(dayMs, count);
      if (count >= quota.shownADay) {
        over = iso(dayMs).slice(0, 10);
        const message = `started_at: this device has ${quota.shownADay} plays of ${over} already; no more are counted`;
        rejected.push({ index, id: play.id, message });
        continue;
      }
      fresh.push(play);
      // The same play twice in one request is there once.
      known.add(play.id);
      shown.set(dayMs, count + 1);
      accepted.push(play.id);
    }
    await work.plays.add(deviceId, fresh, nowMs);
    return { accepted, rejected, fresh: fresh.length, over, shown };
  }

  async function alert(work: Work, deviceId: string, day: string | null, nowMs: number): Promise<void> {
    const device = await work.devices.find(deviceId);
    if (!device) return;
    const fault = { code: 'plays.over_quota', since: iso(nowMs), facts: { day, limit: quota.shownADay } };
    await work.notify({
      type: 'device.alert',
      resource: deviceId,
      data: { device: presentDevice(device), fault },
    });
  }
}

const keyOf = (deviceId: string, dayMs: number): string => `${dayMs} ${deviceId}`;

/** What became of it in a word that only a newer player knows: it was shown, and how it ended is told as the reason. */
const anyOutcome = z.looseObject({ outcome: z.string().max(100) });

function withKnownOutcome(value: unknown): unknown {
  const sent = anyOutcome.safeParse(value).data;
  if (!sent || playSchema.shape.outcome.safeParse(sent.outcome).success) return value;
  return { ...sent, outcome: 'interrupted', reason: `outcome: ${sent.outcome}` };
}

/** The play, or what is wrong with it. */
function readPlay(value: unknown, nowMs: number): Play | string {
  const read = playSchema.safeParse(withKnownOutcome(value), { error: problemSentence });
  if (!read.success)
    return read.error.issues.map((issue) => `${issue.path.join('.') || 'play'}: ${issue.message}`).join('; ');
  return faultOfPlay(read.data, nowMs) ?? read.data;
}

const idOf = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
    ? value.id.slice(0, 200)
    : null;
