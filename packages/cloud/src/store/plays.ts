import type { Play } from '@placard/protocol';
import { sql } from 'kysely';
import type { Db } from './database.ts';

const HOUR_MS = 3_600_000;

/** What was shown. Raw rows for the export, counts per hour for the charts. */
export function playRepository(db: Db) {
  return {
    /** Stores a play once; false when it was stored before. */
    async add(deviceId: string, play: Play, nowMs: number): Promise<boolean> {
      const startedMs = Date.parse(play.started_at);
      const inserted = await db
        .insertInto('plays')
        .values({
          id: play.id,
          device_id: deviceId,
          content_id: play.content_id,
          playlist_id: play.playlist_id,
          schedule_id: play.schedule_id,
          rule_id: play.rule_id,
          started_at: startedMs,
          ended_at: Date.parse(play.ended_at),
          duration_ms: play.duration_ms,
          outcome: play.outcome,
          reason: play.reason,
          received_at: nowMs,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n) return false;
      await db
        .insertInto('play_hours')
        .values({
          bucket: Math.floor(startedMs / HOUR_MS) * HOUR_MS,
          device_id: deviceId,
          content_id: play.content_id,
          playlist_id: play.playlist_id ?? '',
          plays: 1,
          play_ms: play.duration_ms,
          completed: play.outcome === 'completed' ? 1 : 0,
          interrupted: play.outcome === 'interrupted' ? 1 : 0,
          failed: play.outcome === 'failed' ? 1 : 0,
        })
        .onConflict((conflict) =>
          conflict.columns(['bucket', 'device_id', 'content_id', 'playlist_id']).doUpdateSet({
            plays: sql`play_hours.plays + excluded.plays`,
            play_ms: sql`play_hours.play_ms + excluded.play_ms`,
            completed: sql`play_hours.completed + excluded.completed`,
            interrupted: sql`play_hours.interrupted + excluded.interrupted`,
            failed: sql`play_hours.failed + excluded.failed`,
          }),
        )
        .execute();
      return true;
    },
  };
}
