/** Commands to the page and its reports, as on the stage channel; times are already by the runtime's clocks. */

export type CutTiming = 'after_current' | 'when_ready' | 'on_command';

export type StageCommand =
  | {
      type: 'prepare';
      showing: {
        id: string;
        kind: 'image' | 'video';
        url: string;
        duration_ms: number | null;
        video_end_ms: number | null;
      };
      cut: CutTiming;
    }
  | { type: 'cut'; showing_id: string }
  | { type: 'clear' };

/** Why a showing could not be prepared or was interrupted. */
export type StageFailureReason = 'not_found' | 'decode_failed' | 'unsupported' | 'stalled' | 'timeout';

export type StageReport =
  | { type: 'hello'; current: { id: string; agoMs: number } | null; prepared: string | null }
  | { type: 'ready'; id: string }
  | { type: 'started'; id: string; agoMs: number }
  | {
      type: 'ended';
      id: string;
      agoMs: number;
      shownMs: number;
      outcome: 'completed' | 'interrupted' | 'failed';
      reason: string | null;
    }
  | { type: 'failed'; id: string; reason: StageFailureReason };
