import { describe, expect, test } from 'vitest';
import { CELL_COUNT } from './bench/gap/screen-capture.ts';
import type { CapturedFrame } from './bench/gap/screen-capture.ts';
import { PALETTE } from './bench/gap/media.ts';
import { createUnscriptedGapAnalyzer, createGapAnalyzer } from './bench/gap/gap-analysis.ts';
import type { Rgb, ExpectedItem } from './bench/gap/gap-analysis.ts';
import { judgeRun } from './bench/gap/judge-run.ts';

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

describe('the judgement of a run with known items', () => {
  const CLEAN = [RED!, RED!, GREEN!, GREEN!, BLUE!, BLUE!];
  const TORN = [RED!, [GREEN!, RED!], [GREEN!, RED!], GREEN!, BLUE!] satisfies Parameters<typeof buildFrames>;
  const runOf = (
    frames: Parameters<typeof buildFrames>,
    { dropped = 0, failures = [] }: { dropped?: number; failures?: string[] } = {},
  ) => ({ analyzer: analyzeFrames(...frames), failures, videoFrames: { drawn: 100, dropped } });
  const judge = (run: ReturnType<typeof runOf>, without: ReturnType<typeof runOf> | null = null) =>
    judgeRun(run, { transitions: 2, without });

  test('is good when every frame shows an item, although frames are torn or dropped', () => {
    expect(judge(runOf(CLEAN))).toEqual([]);
    expect(judge(runOf(TORN, { dropped: 50 }))).toEqual([]);
  });

  test.each([
    ['a black one', [RED!, BLACK, GREEN!, BLUE!]],
    ['a black one after the last transition', [...CLEAN, BLACK]],
    ['one that is black in part', [RED!, [RED!, BLACK], GREEN!, BLUE!]],
    ['one of another item', [RED!, BLUE!, GREEN!, BLUE!]],
    ['one of another item after the last transition', [...CLEAN, RED!]],
  ] satisfies [string, Parameters<typeof buildFrames>][])(
    'is bad with a wrong frame: %s',
    (_name, frames) => {
      expect(judge(runOf(frames))).toEqual(['black or wrong frames']);
    },
  );

  test('is bad when a transition was not seen or an item not shown', () => {
    expect(judge(runOf([RED!, GREEN!]))).toEqual(['only 1 of 2 transitions were seen']);
    expect(judge(runOf(CLEAN, { failures: ['2: decode'] }))).toEqual(['items were not shown']);
  });

  test('is bad with pictures of the page when more is torn, or more than one more frame dropped, than without', () => {
    const without = runOf(CLEAN, { dropped: 3 });
    expect(judge(runOf(CLEAN, { dropped: 4 }), without)).toEqual([]);
    expect(judge(runOf(CLEAN, { dropped: 5 }), without)).toEqual(['more dropped frames']);
    expect(judge(runOf(TORN), without)).toEqual(['more torn frames']);
    expect(judge(runOf(TORN), runOf(TORN))).toEqual([]);
  });
});

test('the analysis of any page returns how long no item was visible at each change', () => {
  const analyzer = createUnscriptedGapAnalyzer([RED!, GREEN!, BLUE!]);
  for (const frame of buildFrames(BLACK, RED!, RED!, BLACK, BLACK, GREEN!, [BLUE!, GREEN!], BLUE!)) {
    analyzer.addFrame(frame);
  }
  expect(analyzer.blanksMs).toEqual([48, 0]);
});
