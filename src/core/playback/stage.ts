/** Orders to the page and its reports, in the shapes of the stage channel; times already by the runtime's clocks. */

export type Cut = 'after_current' | 'when_ready' | 'on_command';

export type StageOrder =
  | {
      type: 'prepare';
      showing: {
        id: string;
        kind: 'image' | 'video';
        url: string;
        duration_ms: number | null;
        video_end_ms: number | null;
      };
      cut: Cut;
    }
  | { type: 'cut'; showing_id: string }
  | { type: 'clear' };

/** Why a showing could not be prepared, or did not go on. */
export type StageReason = 'not_found' | 'decode_failed' | 'unsupported' | 'stalled' | 'timeout';

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
  | { type: 'failed'; id: string; reason: StageReason };
