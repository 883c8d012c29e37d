import type { StageShowing } from '@placard/protocol/stage';
import { scheduleAtNearestFrame, nextFrame, delay } from './frames.ts';
import { clearBackground, followVideoWithBackground, paintBackground } from './background.ts';
import { describeMediaError } from './media-error.ts';
import { fetchMedia } from './fetch-media.ts';
import { loadFailure } from './loaded-media.ts';
import type { LoadResult, LoadedMedia } from './loaded-media.ts';
import type { Layer } from './layer.ts';

/** Frames of a video until the layer below may be released. */
const FRAMES_UNTIL_VISIBLE = 4;
const FULLY_VISIBLE_TIMEOUT_MS = 1_000;
/** An end this much before the declared duration means a truncated file. */
const EARLY_END_TOLERANCE_MS = 1_000;
const STALL_TIMEOUT_MS = 5_000;
/** The last frame is held this long for a late next showing before the video restarts. */
const HOLD_LAST_FRAME_MS = 1_000;
/** A duration this close to the video's own end means: play to the end. */
const DURATION_TOLERANCE_MS = 250;
/** For engines that do not draw the first frame of a hidden video: after this time, buffered data is enough. */
const FIRST_FRAME_TIMEOUT_MS = 1_500;

/** Loads a video into the layer, paused on its painted first frame. */
export async function loadVideo(
  layer: Layer,
  showing: StageShowing,
  signal: AbortSignal,
): Promise<LoadResult> {
  const { video } = layer;
  let isRepeated = false;
  for (let failure = await loadFirstFrame(layer, showing, signal); failure;) {
    const { status, length, wasRetried } = await fetchMedia(showing.url, 'HEAD', signal);
    if (status !== 200) {
      return loadFailure('not_found', `the media server responded with HTTP ${status}`);
    }
    if (length === 0) {
      return loadFailure('decode_failed', 'the file is empty');
    }
    // The media server was unavailable, perhaps only during the first load, so the file itself may be fine: retry.
    if (isRepeated && !wasRetried) {
      return failure;
    }
    isRepeated = true;
    failure = await loadFirstFrame(layer, showing, signal);
  }
  // An engine that supports only the audio codec plays the file without a picture.
  if (video.videoWidth === 0) {
    return loadFailure('unsupported', 'the file has no video track that can be decoded');
  }
  layer.showElement(video, { width: video.videoWidth, height: video.videoHeight });
  paintBackground(layer);
  return { ok: true, media: createVideoMedia(layer, showing) };
}

/** Loads until the first frame is painted; null on success. */
async function loadFirstFrame(
  layer: Layer,
  showing: StageShowing,
  signal: AbortSignal,
): Promise<FailedLoad | null> {
  const { video } = layer;
  const failed = waitForFailure(video, signal);
  video.preload = 'auto';
  video.loop = false;
  video.muted = false;
  const playable = waitForEvent(video, 'canplaythrough', signal);
  const firstFrame = new Promise<void>((resolve) => video.requestVideoFrameCallback(() => resolve()));
  layer.showElement(video);
  video.src = showing.url;
  const firstFrameLoaded = playable.then(() =>
    Promise.race([firstFrame, delay(FIRST_FRAME_TIMEOUT_MS, signal)]),
  );
  const failure = await Promise.race([firstFrameLoaded.then(() => null), failed]);
  signal.throwIfAborted();
  return failure;
}

type FailedLoad = Extract<LoadResult, { ok: false }>;

function waitForFailure(video: HTMLVideoElement, signal: AbortSignal): Promise<FailedLoad> {
  return waitForEvent(video, 'error', signal).then(() => ({
    ok: false,
    ...describeMediaError(video.error?.code ?? 0, video.error?.message ?? ''),
  }));
}

function waitForEvent(target: EventTarget, name: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    target.addEventListener(name, () => resolve(), { once: true, signal });
  });
}

function createVideoMedia(layer: Layer, showing: StageShowing): LoadedMedia {
  const { video } = layer;
  const releaseController = new AbortController();
  const { signal } = releaseController;
  /** As declared by the file; the engine changes `duration` when the data ends early. */
  const declaredDurationMs = video.duration * 1000;
  const videoEndMs = Math.min(showing.video_end_ms ?? Infinity, declaredDurationMs);
  const hasOwnDuration =
    showing.duration_ms !== null && Math.abs(showing.duration_ms - videoEndMs) > DURATION_TOLERANCE_MS;
  const loops = hasOwnDuration && showing.duration_ms! > videoEndMs;
  let lastProgress = { timeS: 0, atMs: 0 };
  let fullyVisible: Promise<void> = Promise.resolve();

  const play = async () => {
    try {
      await video.play();
    } catch (error) {
      // A video of a frame or two may have ended before the engine reports that it plays.
      if (signal.aborted || video.ended) {
        return;
      }
      // Autoplay policies may require a gesture for sound: play muted rather than not at all.
      if (!(error instanceof DOMException) || error.name !== 'NotAllowedError') {
        throw error;
      }
      video.muted = true;
      await video.play();
    }
  };

  /** A media key or the system may have paused it; only the stage may. */
  const resumeIfPaused = async () => {
    await nextFrame();
    if (!signal.aborted && video.paused && !video.ended && !video.error) {
      await play().catch(() => {});
    }
  };

  const restartVideo = async () => {
    await delay(HOLD_LAST_FRAME_MS, signal);
    if (signal.aborted) {
      return;
    }
    video.loop = true;
    await play().catch(() => {});
  };

  const onEachFrame = (look: (metadata: VideoFrameCallbackMetadata) => boolean) => {
    const onFrame: VideoFrameRequestCallback = (_now, metadata) => {
      if (!signal.aborted && look(metadata)) {
        video.requestVideoFrameCallback(onFrame);
      }
    };
    video.requestVideoFrameCallback(onFrame);
  };

  const finishAfter = async (waitMs: number, finish: () => void) => {
    await delay(waitMs, signal);
    await nextFrame();
    if (!signal.aborted) {
      finish();
    }
  };

  const watchLastFrame = (leadMs: () => number, finish: () => void) => {
    let previousS: number | null = null;
    onEachFrame(({ mediaTime, expectedDisplayTime }) => {
      const frameMs = previousS === null ? 34 : Math.max(8, (mediaTime - previousS) * 1000);
      previousS = mediaTime;
      const remainingMs = videoEndMs - mediaTime * 1000;
      if (remainingMs > 1.5 * frameMs) {
        return true;
      }
      const waitMs = expectedDisplayTime + remainingMs - leadMs() - performance.now();
      void finishAfter(Math.max(0, waitMs), finish);
      return false;
    });
  };

  return {
    start() {
      video.loop = loops;
      followVideoWithBackground(layer, signal);
      video.addEventListener('pause', () => void resumeIfPaused(), { signal });
      let frames = 0;
      fullyVisible = Promise.race([
        new Promise<void>((resolve) => {
          onEachFrame(() => {
            frames += 1;
            if (frames >= FRAMES_UNTIL_VISIBLE) {
              resolve();
            }
            return frames < FRAMES_UNTIL_VISIBLE;
          });
        }),
        delay(FULLY_VISIBLE_TIMEOUT_MS, signal),
      ]);
      const started = play();
      // Its first frame was painted under the other layer, so it is visible with the next frame.
      return started.then(() => nextFrame());
    },
    waitUntilFullyVisible: () => fullyVisible,
    watchForEnd(dueAtMs, callbacks) {
      let over = false;
      const endOnce = (action: () => void) => {
        if (over || signal.aborted) {
          return;
        }
        over = true;
        action();
      };
      const finish = () => endOnce(() => callbacks.finished());
      if (hasOwnDuration && dueAtMs !== null) {
        signal.addEventListener('abort', scheduleAtNearestFrame(dueAtMs, finish), { once: true });
      } else {
        watchLastFrame(() => callbacks.leadMs(), finish);
      }
      video.addEventListener(
        'timeupdate',
        () => {
          if (!video.ended) {
            lastProgress = { timeS: video.currentTime, atMs: performance.now() };
          }
        },
        { signal },
      );
      const onEnded = () => {
        // Where data is missing, engines jump to the declared end.
        const reachedMs = lastProgress.timeS * 1000 + performance.now() - lastProgress.atMs;
        const missingMs = videoEndMs - Math.min(video.currentTime * 1000, reachedMs);
        if (Number.isFinite(missingMs) && missingMs > EARLY_END_TOLERANCE_MS) {
          endOnce(() => callbacks.failed('decode_failed', `the file ends ${Math.round(missingMs)} ms early`));
        } else if (!loops) {
          finish();
        }
      };
      video.addEventListener('ended', onEnded, { signal });
      if (video.ended) {
        void nextFrame().then(onEnded);
      }
      video.addEventListener(
        'error',
        () => {
          const { reason, detail } = describeMediaError(video.error?.code ?? 0, video.error?.message ?? '');
          endOnce(() => callbacks.failed(reason, detail));
        },
        { signal },
      );
      watchProgress(video, signal, () =>
        endOnce(() => callbacks.failed('stalled', `no progress for ${STALL_TIMEOUT_MS / 1000} s`)),
      );
    },
    hold() {
      if (video.error) {
        return;
      }
      if (video.ended) {
        void restartVideo();
      } else {
        video.addEventListener('ended', () => void restartVideo(), { once: true, signal });
      }
    },
    release() {
      releaseController.abort();
      releaseVideo(layer);
    },
  };
}

/** Calls back when a playing video makes no progress for five seconds. */
function watchProgress(video: HTMLVideoElement, signal: AbortSignal, onStalled: () => void): void {
  let lastTime = video.currentTime;
  let lastMoveMs = performance.now();
  const timer = setInterval(() => {
    if (video.currentTime !== lastTime || video.ended) {
      lastTime = video.currentTime;
      lastMoveMs = performance.now();
    } else if (performance.now() - lastMoveMs >= STALL_TIMEOUT_MS) {
      clearInterval(timer);
      onStalled();
    }
  }, 500);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/** Releases decoder, buffers and socket; `removeAttribute` alone keeps them. */
export function releaseVideo(layer: Layer): void {
  const { video } = layer;
  video.pause();
  video.removeAttribute('src');
  video.load();
  clearBackground(layer);
  layer.showElement(null);
}
