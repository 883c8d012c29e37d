import type { Showing } from '../../src/stage-link/messages.ts';
import { painted, pause } from './frames.ts';
import { paintGround } from './ground.ts';
import type { Look } from './look.ts';
import { loadFailure, type LoadResult, type Picture } from './picture.ts';
import {
  EMPTY,
  step,
  type CutMode,
  type SequenceEffect,
  type SequenceEvent,
  type StageEvent,
} from './sequence.ts';
import { loadStill, releaseStill } from './still.ts';
import { createSurface, type Surface } from './surface.ts';
import { loadVideo, releaseVideo } from './video.ts';

const PREPARE_PATIENCE_MS = 15_000;
/** A raised video is seen about two frames later, a picture at once; measured, see docs/measuring-gaps.md. */
const VIDEO_LEAD_MS = 34;

export interface Stage {
  /** From now on; what is on the stage changes with it. */
  configure(look: Look): void;
  prepare(showing: Showing, cut: CutMode): void;
  cut(id: string): void;
  clear(): void;
  /** Have another page take over at the next cut, at once when nothing is on. */
  reload(): void;
  /** What is on the stage, and what is ready to follow. */
  contents(): { current: { id: string; startedAtMs: number } | null; prepared: string | null };
  /** There is a picture, and it is painted all over. */
  isSteady(): boolean;
  /** Another page was wanted and did not come: go on here. */
  goOn(): void;
  /** Video frames of the elements on the stage so far: drawn, and missed. */
  frameCounts(): { frames: number; dropped_frames: number };
}

export interface StageDeps {
  parent: HTMLElement;
  tell(event: StageEvent): void;
  /** The first picture is on the screen (true), or the stage was emptied (false). */
  onPicture(present: boolean): void;
  /** Another page is to take over; this one keeps its picture until then, and takes no new work. */
  renewPage(): void;
}

interface Occupant {
  surface: Surface;
  loading: AbortController;
  picture: Picture | null;
}

/** Two layers, and a sequence that says what they do. */
export function createStage(deps: StageDeps): Stage {
  const look: Look = { fit: 'contain', ground: 'black', fadeMs: 0 };
  const surfaces = [createSurface(deps.parent, look), createSurface(deps.parent, look)];
  const spare: Surface[] = [...surfaces];
  const occupants = new Map<string, Occupant>();
  let state = EMPTY;
  let steadyId = '';

  function happen(event: SequenceEvent): void {
    const [next, effects] = step(state, event, performance.now());
    state = next;
    for (const effect of effects) carryOut(effect);
    deps.onPicture(state.current !== null);
  }

  function carryOut(effect: SequenceEffect): void {
    switch (effect.do) {
      case 'load':
        void load(effect.showing);
        break;
      case 'reveal':
        void reveal(effect.id);
        break;
      case 'watch':
        watch(effect.id, effect.dueAtMs);
        break;
      case 'hold':
        occupants.get(effect.id)?.picture?.hold();
        break;
      case 'release':
        release(effect.id);
        break;
      case 'tell':
        deps.tell(effect.event);
        break;
      case 'renew_page':
        deps.renewPage();
        break;
    }
  }

  async function load(showing: Showing): Promise<void> {
    const surface = spare.pop();
    if (!surface) throw new Error('the sequence loads only into a free layer');
    const loading = new AbortController();
    const occupant: Occupant = { surface, loading, picture: null };
    occupants.set(showing.id, occupant);
    const result = await Promise.race([
      loadOutOfSight(surface, showing, loading.signal),
      pause(PREPARE_PATIENCE_MS, loading.signal).then(() =>
        loadFailure('timeout', `not ready after ${PREPARE_PATIENCE_MS / 1000} s`),
      ),
    ]);
    if (loading.signal.aborted) return;
    if (!result.ok) {
      happen({ type: 'load_failed', id: showing.id, reason: result.reason, detail: result.detail });
      return;
    }
    occupant.picture = result.picture;
    happen({ type: 'loaded', id: showing.id });
  }

  async function loadOutOfSight(
    surface: Surface,
    showing: Showing,
    signal: AbortSignal,
  ): Promise<LoadResult> {
    const result = await loadInto(surface, showing, signal);
    // Painted, so that the cut has nothing left to do but to raise the layer. A still comes onto a bare stage at once.
    if (result.ok && (state.current || showing.kind === 'video')) await painted();
    return result;
  }

  async function reveal(id: string): Promise<void> {
    const occupant = occupants.get(id);
    if (!occupant?.picture) return;
    for (const other of occupants.values()) if (other !== occupant) void other.surface.raise(false);
    const raised = occupant.surface.raise(true, fadeMs());
    try {
      const atMs = await occupant.picture.begin();
      if (occupants.get(id) === occupant) happen({ type: 'presented', id, atMs });
      await Promise.all([occupant.picture.settled(), raised]);
      if (occupants.get(id) !== occupant) return;
      steadyId = id;
      happen({ type: 'settled', id });
    } catch (error) {
      if (occupants.get(id) !== occupant) return;
      happen({ type: 'broke', id, reason: 'decode_failed', detail: String(error) });
    }
  }

  /** The very first picture has nothing to come up through, and a short one has no time for a long fade. */
  function fadeMs(): number {
    const lastsMs = state.next?.showing.duration_ms ?? state.next?.showing.video_end_ms ?? Infinity;
    return state.current ? Math.min(look.fadeMs, lastsMs / 2) : 0;
  }

  function watch(id: string, dueAtMs: number | null): void {
    occupants.get(id)?.picture?.watch(dueAtMs, {
      leadMs: () => (state.next?.showing.kind === 'image' ? 0 : VIDEO_LEAD_MS),
      through: () => happen({ type: 'through', id }),
      broke: (reason, detail) => happen({ type: 'broke', id, reason, detail }),
    });
  }

  function release(id: string): void {
    const occupant = occupants.get(id);
    if (!occupant) return;
    occupants.delete(id);
    const { surface, loading, picture } = occupant;
    void surface.raise(false);
    loading.abort();
    if (picture) picture.release();
    else {
      releaseStill(surface);
      releaseVideo(surface);
    }
    spare.push(surface);
    // A raised showing that failed leaves the current one to be seen again, within the same frame.
    if (state.current) void occupants.get(state.current.showing.id)?.surface.raise(true);
  }

  return {
    configure(wanted) {
      Object.assign(look, wanted);
      deps.parent.dataset['fit'] = look.fit;
      for (const surface of surfaces) paintGround(surface);
    },
    prepare: (showing, cut) => happen({ type: 'prepare', showing, cut }),
    cut: (id) => happen({ type: 'cut', id }),
    clear: () => happen({ type: 'clear' }),
    reload: () => happen({ type: 'reload' }),
    contents: () => ({
      current: state.current && {
        id: state.current.showing.id,
        startedAtMs: state.current.startedAtMs,
      },
      prepared: state.next?.ready ? state.next.showing.id : null,
    }),
    isSteady: () => state.current?.showing.id === steadyId,
    goOn: () => happen({ type: 'go_on' }),
    frameCounts() {
      const counts = { frames: 0, dropped_frames: 0 };
      for (const { video } of surfaces) {
        const quality = video.getVideoPlaybackQuality();
        counts.frames += quality.totalVideoFrames;
        counts.dropped_frames += quality.droppedVideoFrames;
      }
      return counts;
    },
  };
}

async function loadInto(surface: Surface, showing: Showing, signal: AbortSignal): Promise<LoadResult> {
  try {
    return await (showing.kind === 'image'
      ? loadStill(surface, showing, signal)
      : loadVideo(surface, showing, signal));
  } catch (error) {
    return loadFailure('decode_failed', String(error));
  }
}
