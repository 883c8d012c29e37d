import type { Showing } from '../../src/stage-link/messages.ts';
import { atFrameNearest, nextFrame, pause } from './frames.ts';
import { clearGround, followWithGround, paintGround } from './ground.ts';
import { mediaFailure } from './media-error.ts';
import { askMediaServer } from './media-server.ts';
import { loadFailure, type LoadResult, type Picture } from './picture.ts';
import type { Surface } from './surface.ts';

/** Frames of the next video until the layer below may go. */
const SETTLED_FRAMES = 4;
const SETTLED_AT_LATEST_MS = 1_000;
/** An end this much before the announced one means a file that was cut short. */
const MISSING_MS = 1_000;
const STALL_MS = 5_000;
/** A follower that is late by less than this finds the last frame, not the first one again. */
const HOLD_LAST_FRAME_MS = 1_000;
/** A duration this near to the video's own end means the end. */
const SAME_LENGTH_MS = 250;
/** Engines that do not draw hidden first frames are believed when enough is buffered. */
const FIRST_FRAME_PATIENCE_MS = 1_500;

/** Loads a video into the layer, paused on its painted first frame. */
export async function loadVideo(
  surface: Surface,
  showing: Showing,
  signal: AbortSignal,
): Promise<LoadResult> {
  const { video } = surface;
  for (let failure = await prime(surface, showing, signal); failure;) {
    const { status, length, waited } = await askMediaServer(showing.url, 'HEAD', signal);
    if (status !== 200) return loadFailure('not_found', `the media server answered ${status}`);
    if (length === 0) return loadFailure('decode_failed', 'the file is empty');
    // The server was away: that, and not the file, was what failed.
    if (!waited) return failure;
    failure = await prime(surface, showing, signal);
  }
  // An engine that knows only the sound of a file plays it without a picture.
  if (video.videoWidth === 0) return loadFailure('unsupported', 'the file has no picture that decodes');
  surface.use(video, { width: video.videoWidth, height: video.videoHeight });
  paintGround(surface);
  return { ok: true, picture: videoPicture(surface, showing) };
}

/** Loads as far as the painted first frame; null when that went well. */
async function prime(surface: Surface, showing: Showing, signal: AbortSignal): Promise<Failed | null> {
  const { video } = surface;
  const failed = firstFailure(video, signal);
  video.preload = 'auto';
  video.loop = false;
  video.muted = false;
  const playable = event(video, 'canplaythrough', signal);
  const firstFrame = new Promise<void>((resolve) => video.requestVideoFrameCallback(() => resolve()));
  surface.use(video);
  video.src = showing.url;
  const primed = playable.then(() => Promise.race([firstFrame, pause(FIRST_FRAME_PATIENCE_MS, signal)]));
  const failure = await Promise.race([primed.then(() => null), failed]);
  signal.throwIfAborted();
  return failure;
}

type Failed = Extract<LoadResult, { ok: false }>;

function firstFailure(video: HTMLVideoElement, signal: AbortSignal): Promise<Failed> {
  return event(video, 'error', signal).then(() => ({
    ok: false,
    ...mediaFailure(video.error?.code ?? 0, video.error?.message ?? ''),
  }));
}

function event(target: EventTarget, name: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    target.addEventListener(name, () => resolve(), { once: true, signal });
  });
}

function videoPicture(surface: Surface, showing: Showing): Picture {
  const { video } = surface;
  const over = new AbortController();
  const { signal } = over;
  /** As announced by the file; the engine corrects `duration` when the bytes end early. */
  const announcedMs = video.duration * 1000;
  const pictureEndMs = Math.min(showing.video_end_ms ?? Infinity, announcedMs);
  const timed = showing.duration_ms !== null && Math.abs(showing.duration_ms - pictureEndMs) > SAME_LENGTH_MS;
  const repeats = timed && showing.duration_ms! > pictureEndMs;
  let seen = { timeS: 0, atMs: 0 };
  let settledAfter: Promise<void> = Promise.resolve();

  const play = async () => {
    try {
      await video.play();
    } catch (error) {
      if (signal.aborted) return;
      // Sound needs a gesture where the engine was not told otherwise; a silent picture beats none.
      if (!(error instanceof DOMException) || error.name !== 'NotAllowedError') throw error;
      video.muted = true;
      await video.play();
    }
  };

  /** The stage alone decides when it stands still; a media key or the system may have done it. */
  const playOn = async () => {
    await nextFrame();
    if (!signal.aborted && video.paused && !video.ended && !video.error) await play().catch(() => {});
  };

  const startAgain = async () => {
    await pause(HOLD_LAST_FRAME_MS, signal);
    if (signal.aborted) return;
    video.loop = true;
    await play().catch(() => {});
  };

  const everyFrame = (look: (metadata: VideoFrameCallbackMetadata) => boolean) => {
    const onFrame: VideoFrameRequestCallback = (_now, metadata) => {
      if (!signal.aborted && look(metadata)) video.requestVideoFrameCallback(onFrame);
    };
    video.requestVideoFrameCallback(onFrame);
  };

  const atEnd = async (waitMs: number, through: () => void) => {
    await pause(waitMs, signal);
    await nextFrame();
    if (!signal.aborted) through();
  };

  const watchEnd = (leadMs: () => number, through: () => void) => {
    let previousS: number | null = null;
    everyFrame(({ mediaTime, expectedDisplayTime }) => {
      const frameMs = previousS === null ? 34 : Math.max(8, (mediaTime - previousS) * 1000);
      previousS = mediaTime;
      const leftMs = pictureEndMs - mediaTime * 1000;
      if (leftMs > 1.5 * frameMs) return true;
      const waitMs = expectedDisplayTime + leftMs - leadMs() - performance.now();
      void atEnd(Math.max(0, waitMs), through);
      return false;
    });
  };

  return {
    begin() {
      video.loop = repeats;
      followWithGround(surface, signal);
      video.addEventListener('pause', () => void playOn(), { signal });
      let frames = 0;
      settledAfter = Promise.race([
        new Promise<void>((resolve) => {
          everyFrame(() => {
            frames += 1;
            if (frames >= SETTLED_FRAMES) resolve();
            return frames < SETTLED_FRAMES;
          });
        }),
        pause(SETTLED_AT_LATEST_MS, signal),
      ]);
      const started = play();
      // Its first frame was painted under the other layer, so it shows with the next frame of the screen.
      return started.then(() => nextFrame());
    },
    settled: () => settledAfter,
    watch(dueAtMs, on) {
      let over = false;
      const once = (act: () => void) => {
        if (over || signal.aborted) return;
        over = true;
        act();
      };
      const through = () => once(() => on.through());
      if (timed && dueAtMs !== null) {
        signal.addEventListener('abort', atFrameNearest(dueAtMs, through), { once: true });
      } else {
        watchEnd(() => on.leadMs(), through);
      }
      video.addEventListener(
        'timeupdate',
        () => {
          if (!video.ended) seen = { timeS: video.currentTime, atMs: performance.now() };
        },
        { signal },
      );
      video.addEventListener(
        'ended',
        () => {
          // Where bytes are missing an engine leaps to the announced end.
          const reachedMs = seen.timeS * 1000 + performance.now() - seen.atMs;
          const missingMs = pictureEndMs - Math.min(video.currentTime * 1000, reachedMs);
          if (Number.isFinite(missingMs) && missingMs > MISSING_MS) {
            once(() => on.broke('decode_failed', `the file ends ${Math.round(missingMs)} ms early`));
          } else if (!repeats) through();
        },
        { signal },
      );
      video.addEventListener(
        'error',
        () => {
          const { reason, detail } = mediaFailure(video.error?.code ?? 0, video.error?.message ?? '');
          once(() => on.broke(reason, detail));
        },
        { signal },
      );
      watchProgress(video, signal, () =>
        once(() => on.broke('stalled', `no progress for ${STALL_MS / 1000} s`)),
      );
    },
    hold() {
      if (video.error) return;
      if (video.ended) void startAgain();
      else video.addEventListener('ended', () => void startAgain(), { once: true, signal });
    },
    release() {
      over.abort();
      releaseVideo(surface);
    },
  };
}

/** Calls back when a playing video stands still for five seconds. */
function watchProgress(video: HTMLVideoElement, signal: AbortSignal, stalled: () => void): void {
  let lastTime = video.currentTime;
  let lastMoveMs = performance.now();
  const timer = setInterval(() => {
    if (video.currentTime !== lastTime || video.ended) {
      lastTime = video.currentTime;
      lastMoveMs = performance.now();
    } else if (performance.now() - lastMoveMs >= STALL_MS) {
      clearInterval(timer);
      stalled();
    }
  }, 500);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

/** Gives decoder, buffers and socket back; `removeAttribute` alone keeps them. */
export function releaseVideo(surface: Surface): void {
  const { video } = surface;
  video.pause();
  video.removeAttribute('src');
  video.load();
  clearGround(surface);
  surface.use(null);
}
