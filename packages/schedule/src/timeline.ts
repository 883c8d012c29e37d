import type { CompiledSchedules } from './compile.ts';
import { evaluateSchedules } from './evaluate-schedules.ts';
import type { TargetedDevice } from './targeting.ts';
import type { ScheduleEvaluation } from './types.ts';

/** A stretch of time `[fromMs, untilMs)`, ms since 1970, in which a device shows one playlist because of one rule. */
export interface TimelineSegment extends Pick<
  ScheduleEvaluation,
  'source' | 'schedule' | 'rule' | 'playlist_id'
> {
  fromMs: number;
  untilMs: number;
}

/**
 * What a device shows from `fromMs` until `toMs`: segments without gaps, each as long as it can be within these bounds.
 * A segment is computed when it is taken, so a caller can stop at any, or let others run in between.
 *
 * @throws RangeError when an instant is out of the range of `Date`
 */
export function* listSegments(
  compiled: CompiledSchedules,
  device: TargetedDevice,
  fromMs: number,
  toMs: number,
): Generator<TimelineSegment, void, undefined> {
  let current: TimelineSegment | null = null;
  for (let atMs = fromMs; atMs < toMs;) {
    const { source, schedule, rule, playlist_id, until } = evaluateSchedules(compiled, device, atMs);
    const untilMs = until === null ? toMs : Math.min(until, toMs);
    if (current && current.rule === rule) {
      current.untilMs = untilMs;
    } else {
      if (current) {
        yield current;
      }
      current = { fromMs: atMs, untilMs, source, schedule, rule, playlist_id };
    }
    atMs = untilMs;
  }
  if (current) {
    yield current;
  }
}
