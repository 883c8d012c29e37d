import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { atFrameNearest, nextFrame, painted } from './frames.ts';
import { EMPTY, step, type SequenceEvent } from './sequence.ts';

/** This screen draws sixty times a second. */
const FRAME_MS = 1000 / 60;
const HOUR_MS = 3_600_000;
/** No whole number of frames. */
const LASTS_MS = 10_007;

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

/** Plays pictures, one after the other, on a screen that shows each of them `lateMs` too late. */
async function playPictures(lateMs: (index: number) => number): Promise<number[]> {
  const starts: number[] = [];
  let state = EMPTY;

  function happen(event: SequenceEvent): void {
    const [next, effects] = step(state, event, performance.now());
    state = next;
    for (const effect of effects) {
      if (effect.do === 'load') setTimeout(() => happen({ type: 'loaded', id: effect.showing.id }), 200);
      if (effect.do === 'reveal') void reveal(effect.id);
      if (effect.do === 'watch') {
        atFrameNearest(effect.dueAtMs!, () => happen({ type: 'through', id: effect.id }));
      }
      if (effect.do === 'tell' && effect.event.type === 'started') starts.push(effect.event.atMs);
    }
  }

  async function reveal(id: string): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, lateMs(Number(id))));
    happen({ type: 'presented', id, atMs: await nextFrame() });
    await painted();
    happen({ type: 'settled', id });
    prepare(Number(id) + 1);
  }

  function prepare(index: number): void {
    const showing = { id: String(index), kind: 'image', url: '/media/a', video_end_ms: null } as const;
    happen({ type: 'prepare', showing: { ...showing, duration_ms: LASTS_MS }, cut: 'after_current' });
  }

  prepare(0);
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  return starts;
}

const lengths = (starts: readonly number[]) => starts.slice(1).map((start, i) => start - starts[i]!);

it('pictures last as long as they should, and an hour of them is an hour, to a frame', async () => {
  const starts = await playPictures(() => 0);
  expect(starts.length).toBeGreaterThan(350);
  // Each begins and ends at the nearest frame.
  expect(lengths(starts).filter((length) => Math.abs(length - LASTS_MS) > 2 * FRAME_MS)).toEqual([]);
  const drift = starts.at(-1)! - starts[0]! - (starts.length - 1) * LASTS_MS;
  expect(Math.abs(drift)).toBeLessThanOrEqual(FRAME_MS);
});

it('cuts that come some frames late do not add up', async () => {
  const starts = await playPictures((index) => (index % 3 === 1 ? 2 * FRAME_MS : 0));
  const drift = starts.at(-1)! - starts[0]! - (starts.length - 1) * LASTS_MS;
  expect(Math.abs(drift)).toBeLessThanOrEqual(3 * FRAME_MS);
});
