import { describe, expect, test } from 'vitest';
import { CELL_COUNT } from './bench/gap/screen-capture.ts';
import type { CapturedFrame } from './bench/gap/screen-capture.ts';
import { PALETTE } from './bench/gap/media.ts';
import { createUnscriptedGapAnalyzer, createGapAnalyzer } from './bench/gap/gap-analysis.ts';
import type { Rgb, ExpectedItem } from './bench/gap/gap-analysis.ts';

const [RED, GREEN, BLUE] = PALETTE.map(({ rgb }): Rgb => rgb);
const BLACK: Rgb = [0, 0, 0];
const items: ExpectedItem[] = [RED!, GREEN!, BLUE!].map((colour, i) => ({
  colour,
  kind: i === 1 ? 'video' : 'image',
  expectedMs: 100,
}));

/** Frames 16 ms apart, each of one colour or of two, one above the other. */
function buildFrames(...colours: (Rgb | [above: Rgb, below: Rgb])[]): CapturedFrame[] {
  return colours.map((colour, frame) => ({
    atMs: 1_000 + 16 * frame,
    cells: Uint8Array.from(
      Array.from({ length: CELL_COUNT }, (_, cell) => {
        const pair = colour.length === 2 ? colour : [colour, colour];
        return [...pair[cell < CELL_COUNT / 2 ? 0 : 1]!];
      }).flat(),
    ),
  }));
}

function analyzeFrames(...colours: Parameters<typeof buildFrames>) {
  const analyzer = createGapAnalyzer(items);
  for (const frame of buildFrames(...colours)) {
    analyzer.addFrame(frame);
  }
  return analyzer;
}

describe('the analysis of a run with known items', () => {
  test('finds no problem in clean cuts, and measures how long each item was visible', () => {
    const six = Array.from({ length: 6 }, () => GREEN!);
    const { transitions, captureStats } = analyzeFrames(RED!, RED!, ...six, BLUE!);
    expect(transitions).toEqual([
      { kind: 'image to video', lengthErrorMs: 0, black: 0, wrong: 0, torn: 0 },
      { kind: 'video to image', lengthErrorMs: -4, black: 0, wrong: 0, torn: 0 },
    ]);
    expect(captureStats).toMatchObject({ frames: 9, longestGapMs: 16 });
  });

  test('counts black frames, also where only a part of the screen is black', () => {
    expect(analyzeFrames(RED!, BLACK, [RED!, BLACK], GREEN!).transitions).toMatchObject([
      { black: 2, wrong: 0 },
    ]);
  });

  test('counts frames of an unexpected item', () => {
    expect(analyzeFrames(RED!, BLUE!, GREEN!).transitions).toMatchObject([{ black: 0, wrong: 1 }]);
    expect(analyzeFrames(RED!, GREEN!, RED!, BLUE!).transitions[1]).toMatchObject({ wrong: 1 });
  });

  test('recognizes a frame that was captured while it was drawn', () => {
    const { transitions } = analyzeFrames(RED!, [GREEN!, RED!], [GREEN!, RED!], GREEN!, BLUE!);
    expect(transitions).toMatchObject([
      { black: 0, wrong: 0, torn: 1 },
      { black: 0, wrong: 0, torn: 1 },
    ]);
  });

  test('counts nothing before the first item appears', () => {
    expect(analyzeFrames(BLACK, BLACK, RED!, GREEN!).transitions).toMatchObject([{ black: 0 }]);
  });
});

test('the analysis of any page returns how long no item was visible at each change', () => {
  const analyzer = createUnscriptedGapAnalyzer([RED!, GREEN!, BLUE!]);
  for (const frame of buildFrames(BLACK, RED!, RED!, BLACK, BLACK, GREEN!, [BLUE!, GREEN!], BLUE!)) {
    analyzer.addFrame(frame);
  }
  expect(analyzer.blanksMs).toEqual([48, 0]);
});
