import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { scheduleAtNearestFrame, nextFrame, waitForPaint } from './frames.ts';
import { reduceStage } from './stage-reducer.ts';
import { EMPTY_STAGE } from './stage-state.ts';
import type { StageInput } from './stage-state.ts';

/** Frame time of a 60 Hz screen. */
const FRAME_MS = 1000 / 60;
const HOUR_MS = 3_600_000;
/** Not a whole number of frames. */
const IMAGE_DURATION_MS = 10_007;

const untilNextFrameMs = () => FRAME_MS - (performance.now() % FRAME_MS);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('requestAnimationFrame', (callback: FrameRequestCallback) =>
    setTimeout(() => callback(performance.now()), untilNextFrameMs()),
  );
  vi.stubGlobal('cancelAnimationFrame', clearTimeout);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Plays images one after the other on a screen that shows each of them `lateMs` late. */
async function playImages(lateMs: (index: number) => number): Promise<number[]> {
  const starts: number[] = [];
  let state = EMPTY_STAGE;

  function dispatch(event: StageInput): void {
    const [next, effects] = reduceStage(state, event, performance.now());
    state = next;
    for (const effect of effects) {
      if (effect.do === 'load') {
        setTimeout(() => dispatch({ type: 'loaded', id: effect.showing.id }), 200);
      }
      if (effect.do === 'reveal') {
        void reveal(effect.id);
      }
      if (effect.do === 'watch') {
        scheduleAtNearestFrame(effect.dueAtMs!, () => dispatch({ type: 'finished', id: effect.id }));
      }
      if (effect.do === 'report' && effect.event.type === 'started') {
        starts.push(effect.event.atMs);
      }
    }
  }

  async function reveal(id: string): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, lateMs(Number(id))));
    dispatch({ type: 'presented', id, atMs: await nextFrame() });
    await waitForPaint();
    dispatch({ type: 'fully_visible', id });
    prepare(Number(id) + 1);
  }

  function prepare(index: number): void {
    const showing = { id: String(index), kind: 'image', url: '/media/a', video_end_ms: null } as const;
    dispatch({
      type: 'prepare',
      showing: { ...showing, duration_ms: IMAGE_DURATION_MS },
      cut: 'after_current',
    });
  }

  prepare(0);
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  return starts;
}

const lengths = (starts: readonly number[]) => starts.slice(1).map((start, i) => start - starts[i]!);

test('images are shown for their duration, and an hour of them lasts an hour, within a frame', async () => {
  const starts = await playImages(() => 0);
  expect(starts.length).toBeGreaterThan(350);
  // Each starts and ends at the nearest frame.
  expect(lengths(starts).filter((length) => Math.abs(length - IMAGE_DURATION_MS) > 2 * FRAME_MS)).toEqual([]);
  const drift = starts.at(-1)! - starts[0]! - (starts.length - 1) * IMAGE_DURATION_MS;
  expect(Math.abs(drift)).toBeLessThanOrEqual(FRAME_MS);
});

test('transitions that are some frames late do not accumulate', async () => {
  const starts = await playImages((index) => (index % 3 === 1 ? 2 * FRAME_MS : 0));
  const drift = starts.at(-1)! - starts[0]! - (starts.length - 1) * IMAGE_DURATION_MS;
  expect(Math.abs(drift)).toBeLessThanOrEqual(3 * FRAME_MS);
});
