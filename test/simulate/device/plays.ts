import { randomBytes } from 'node:crypto';
import { Fault, makeId, MAX_PLAYS_PER_REQUEST } from '@placard/protocol';
import type { Play } from '@placard/protocol';
import { backoffMs } from '../../../src/core/backoff.ts';
import type { DeviceContext } from './context.ts';
import type { PendingPlay } from './disk.ts';

/** As a player does. */
const BATCH_INTERVAL_MS = 7_000;
const RETRY = { baseMs: 5_000, capMs: 60_000 };
const PATH = '/v1/player/plays';
/** Of a device without a playlist. */
const NO_CONTENT = 'asset_0000000000';

export const createPlay = (startedAtMs: number): PendingPlay => ({
  id: makeId('play', startedAtMs, randomBytes(16)),
  startedAtMs,
});

/** Plays one item after the other, and reports them in batches until they are acknowledged. */
export async function runPlays(device: DeviceContext, signal: AbortSignal): Promise<void> {
  const { clock, disk, settings, figures } = device;
  const { playMs } = settings;
  if (playMs === 0) {
    return;
  }
  let playedUntilMonoMs = clock.monoMs();
  let attempts = 0;

  function collect(): void {
    const nowMs = clock.monoMs();
    for (; playedUntilMonoMs + playMs <= nowMs; playedUntilMonoMs += playMs) {
      disk.plays.push(createPlay(device.wallMs() - Math.round(nowMs - playedUntilMonoMs)));
    }
  }

  const untilNextMs = () =>
    Math.max(Math.min(BATCH_INTERVAL_MS, playMs), playedUntilMonoMs + playMs - clock.monoMs());

  /** Sends one batch; returns how long to wait, 0 if there are more. */
  async function send(): Promise<number> {
    const batch = disk.plays.slice(0, MAX_PLAYS_PER_REQUEST);
    if (batch.length === 0) {
      return untilNextMs();
    }
    const plays = batch.map((each) => toPlay(device, each));
    try {
      await device.beforeRequest(PATH, { plays }, signal);
      const beganMs = clock.monoMs();
      const response = await device.link.sendPlays(plays, signal);
      if (response.kind === 'unpaired') {
        device.onUnpaired();
        return untilNextMs();
      }
      if (response.kind === 'refused') {
        throw new Fault('cloud.refused', 'later', { code: response.code });
      }
      attempts = 0;
      const { accepted, rejected } = response.response;
      device.ledger.write(['plays', device.number, accepted]);
      figures.time('plays', clock.monoMs() - beganMs);
      figures.count('plays', accepted.length);
      rejected.forEach(() => figures.error('plays rejected'));
      disk.plays.splice(0, batch.length);
      return disk.plays.length > 0 ? 0 : untilNextMs();
    } catch (error) {
      if (signal.aborted) {
        return 0;
      }
      device.failed('plays', error);
      const pauseMs = backoffMs(attempts++, device.random.next(), RETRY);
      return error instanceof Fault && typeof error.retry === 'object' ? error.retry.afterMs : pauseMs;
    }
  }

  while (!signal.aborted) {
    collect();
    await clock.sleep(await send(), signal);
  }
}

function toPlay({ disk, settings }: DeviceContext, { id, startedAtMs }: PendingPlay): Play {
  const item = disk.items[Math.floor(startedAtMs / settings.playMs) % Math.max(1, disk.items.length)];
  return {
    id,
    content_id: item?.contentId ?? NO_CONTENT,
    playlist_id: disk.playlistId,
    schedule_id: null,
    rule_id: null,
    started_at: new Date(startedAtMs).toISOString(),
    ended_at: new Date(startedAtMs + settings.playMs).toISOString(),
    duration_ms: settings.playMs,
    outcome: 'completed',
    reason: null,
  };
}
