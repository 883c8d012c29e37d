import { expect, test } from 'vitest';
import { createCrashLoopDetector } from './crash-loop-detector.ts';

const MINUTE_MS = 60_000;

test('begins safe mode at the fifth crash within ten minutes', () => {
  const detector = createCrashLoopDetector();
  const enteredSafeMode = [0, 2, 4, 6, 8].map((minute) => detector.recordCrash(minute * MINUTE_MS));
  expect(enteredSafeMode).toEqual([false, false, false, false, true]);
  expect(detector.safeMode).toBe(true);
});

test('ignores crashes that lie far apart', () => {
  const detector = createCrashLoopDetector();
  for (let minute = 0; minute < 600; minute += 3) {
    expect(detector.recordCrash(minute * MINUTE_MS)).toBe(false);
  }
  expect(detector.safeMode).toBe(false);
});

test('may leave safe mode an hour after the last crash, and then counts from zero', () => {
  const detector = createCrashLoopDetector();
  for (let crash = 0; crash < 5; crash++) {
    detector.recordCrash(0);
  }
  expect(detector.safeModeEndsAtMs).toBe(60 * MINUTE_MS);
  expect(detector.recordCrash(30 * MINUTE_MS)).toBe(false);
  expect(detector.safeModeEndsAtMs).toBe(90 * MINUTE_MS);
  detector.exitSafeMode();
  expect([detector.safeMode, detector.safeModeEndsAtMs]).toEqual([false, null]);
  expect(detector.recordCrash(91 * MINUTE_MS)).toBe(false);
});

test('can begin in safe mode when the previous start ended in it', () => {
  const detector = createCrashLoopDetector({ atMs: 1_000 });
  expect([detector.safeMode, detector.safeModeEndsAtMs]).toEqual([true, 60 * MINUTE_MS + 1_000]);
});
