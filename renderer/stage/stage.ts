import type { CutTiming, StageShowing } from '@placard/protocol/stage';
import { waitForPaint, delay } from './frames.ts';
import { paintBackground } from './background.ts';
import type { DisplayOptions } from './display-options.ts';
import { loadFailure } from './loaded-media.ts';
import type { LoadResult, LoadedMedia } from './loaded-media.ts';
import { reduceStage } from './stage-reducer.ts';
import { EMPTY_STAGE } from './stage-state.ts';
import type { StageEffect, StageInput, ShowingEvent } from './stage-state.ts';
import { loadImage, releaseImage } from './image.ts';
import { createLayer } from './layer.ts';
import type { Layer } from './layer.ts';
import { loadVideo, releaseVideo } from './video.ts';

const PREPARE_TIMEOUT_MS = 15_000;
/** A raised video is visible about two frames later, an image at once; measured, see docs/measuring-gaps.md. */
const VIDEO_LEAD_MS = 34;

interface LayerAssignment {
  layer: Layer;
  loadAbort: AbortController;
  media: LoadedMedia | null;
}

/** Connects the reducer with the two layers. */
export function createStage(deps: {
  parent: HTMLElement;
  onEvent(event: ShowingEvent): void;
  /** The first picture is on the screen (true), or the stage was cleared (false). */
  onPictureChange(present: boolean): void;
  /** Another page is to take over; until then this one keeps its picture and prepares nothing. */
  replacePage(): void;
}) {
  const display: DisplayOptions = { fit: 'contain', background: 'black', fadeMs: 0 };
  const layers = [createLayer(deps.parent, display), createLayer(deps.parent, display)];
  const freeLayers: Layer[] = [...layers];
  const assignments = new Map<string, LayerAssignment>();
  let state = EMPTY_STAGE;
  let fullyVisibleId = '';

  function dispatch(event: StageInput): void {
    const [next, effects] = reduceStage(state, event, performance.now());
    state = next;
    for (const effect of effects) {
      runEffect(effect);
    }
    deps.onPictureChange(state.current !== null);
  }

  function runEffect(effect: StageEffect): void {
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
        assignments.get(effect.id)?.media?.hold();
        break;
      case 'release':
        release(effect.id);
        break;
      case 'report':
        deps.onEvent(effect.event);
        break;
      case 'replace_page':
        deps.replacePage();
        break;
    }
  }

  async function load(showing: StageShowing): Promise<void> {
    const layer = freeLayers.pop();
    if (!layer) {
      throw new Error('no free layer to load into');
    }
    const loadAbort = new AbortController();
    const assignment: LayerAssignment = { layer, loadAbort, media: null };
    assignments.set(showing.id, assignment);
    const result = await Promise.race([
      loadHidden(layer, showing, loadAbort.signal),
      delay(PREPARE_TIMEOUT_MS, loadAbort.signal).then(() =>
        loadFailure('timeout', `not ready after ${PREPARE_TIMEOUT_MS / 1000} s`),
      ),
    ]);
    if (loadAbort.signal.aborted) {
      return;
    }
    if (!result.ok) {
      dispatch({ type: 'load_failed', id: showing.id, reason: result.reason, detail: result.detail });
      return;
    }
    assignment.media = result.media;
    dispatch({ type: 'loaded', id: showing.id });
  }

  async function loadHidden(layer: Layer, showing: StageShowing, signal: AbortSignal): Promise<LoadResult> {
    const result = await loadInto(layer, showing, signal);
    // Waits for the paint: the transition only raises the layer. An image on an empty stage is shown at once.
    if (result.ok && (state.current || showing.kind === 'video')) {
      await waitForPaint();
    }
    return result;
  }

  async function reveal(id: string): Promise<void> {
    const assignment = assignments.get(id);
    if (!assignment?.media) {
      return;
    }
    for (const other of assignments.values()) {
      if (other !== assignment) {
        void other.layer.setOnTop(false);
      }
    }
    const raised = assignment.layer.setOnTop(true, nextFadeMs());
    try {
      const atMs = await assignment.media.start();
      if (assignments.get(id) === assignment) {
        dispatch({ type: 'presented', id, atMs });
      }
      await Promise.all([assignment.media.waitUntilFullyVisible(), raised]);
      if (assignments.get(id) !== assignment) {
        return;
      }
      fullyVisibleId = id;
      dispatch({ type: 'fully_visible', id });
    } catch (error) {
      if (assignments.get(id) !== assignment) {
        return;
      }
      dispatch({ type: 'playback_failed', id, reason: 'decode_failed', detail: String(error) });
    }
  }

  /** No fade for the first picture; a short showing gets a short fade. */
  function nextFadeMs(): number {
    const durationMs = state.next?.showing.duration_ms ?? state.next?.showing.video_end_ms ?? Infinity;
    return state.current ? Math.min(display.fadeMs, durationMs / 2) : 0;
  }

  function watch(id: string, dueAtMs: number | null): void {
    assignments.get(id)?.media?.watchForEnd(dueAtMs, {
      leadMs: () => (state.next?.showing.kind === 'image' ? 0 : VIDEO_LEAD_MS),
      finished: () => dispatch({ type: 'finished', id }),
      failed: (reason, detail) => dispatch({ type: 'playback_failed', id, reason, detail }),
    });
  }

  function release(id: string): void {
    const assignment = assignments.get(id);
    if (!assignment) {
      return;
    }
    assignments.delete(id);
    const { layer, loadAbort, media } = assignment;
    void layer.setOnTop(false);
    loadAbort.abort();
    if (media) {
      media.release();
    } else {
      releaseImage(layer);
      releaseVideo(layer);
    }
    freeLayers.push(layer);
    // When a raised showing fails, the current one is raised again within the same frame.
    if (state.current) {
      void assignments.get(state.current.showing.id)?.layer.setOnTop(true);
    }
  }

  return {
    /** Applies at once, also to what is on the stage. */
    configure(options: DisplayOptions) {
      Object.assign(display, options);
      deps.parent.dataset['fit'] = display.fit;
      for (const layer of layers) {
        paintBackground(layer);
      }
    },
    prepare: (showing: StageShowing, cut: CutTiming) => dispatch({ type: 'prepare', showing, cut }),
    cut: (id: string) => dispatch({ type: 'cut', id }),
    clear: () => dispatch({ type: 'clear' }),
    /** Requests a page replacement at the next transition, at once when the stage is empty. */
    reload: () => dispatch({ type: 'reload' }),
    current: () => state.current && { id: state.current.showing.id, startedAtMs: state.current.startedAtMs },
    /** The current showing covers the layer below. */
    isFullyVisible: () => state.current?.showing.id === fullyVisibleId,
    /** The page replacement failed: resume here. */
    resume: () => dispatch({ type: 'resume' }),
    /** Video frames of the stage's elements so far: drawn and dropped. */
    frameCounts() {
      const counts = { frames: 0, dropped_frames: 0 };
      for (const { video } of layers) {
        const quality = video.getVideoPlaybackQuality();
        counts.frames += quality.totalVideoFrames;
        counts.dropped_frames += quality.droppedVideoFrames;
      }
      return counts;
    },
  };
}

async function loadInto(layer: Layer, showing: StageShowing, signal: AbortSignal): Promise<LoadResult> {
  try {
    return await (showing.kind === 'image'
      ? loadImage(layer, showing, signal)
      : loadVideo(layer, showing, signal));
  } catch (error) {
    return loadFailure('decode_failed', String(error));
  }
}
