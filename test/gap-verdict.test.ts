import { describe, expect, it } from 'vitest';
import { CELLS, type GrabbedFrame } from './bench/gap/grab.ts';
import { PALETTE } from './bench/gap/media.ts';
import { createOpenVerdict, createVerdict, type Rgb, type Showing } from './bench/gap/verdict.ts';

const [RED, GREEN, BLUE] = PALETTE.map(({ rgb }): Rgb => rgb);
const BLACK: Rgb = [0, 0, 0];
const items: Showing[] = [RED!, GREEN!, BLUE!].map((colour, i) => ({
  colour,
  kind: i === 1 ? 'video' : 'image',
  wantedMs: 100,
}));

/** Frames 16 ms apart, each of one colour or of two, one above the other. */
function film(...colours: (Rgb | [above: Rgb, below: Rgb])[]): GrabbedFrame[] {
  return colours.map((colour, frame) => ({
    atMs: 1_000 + 16 * frame,
    cells: Uint8Array.from(
      Array.from({ length: CELLS }, (_, cell) => {
        const pair = colour.length === 2 ? colour : [colour, colour];
        return [...pair[cell < CELLS / 2 ? 0 : 1]!];
      }).flat(),
    ),
  }));
}

function follow(...colours: Parameters<typeof film>) {
  const verdict = createVerdict(items);
  for (const frame of film(...colours)) verdict.look(frame);
  return verdict;
}

describe('the verdict about a run of known items', () => {
  it('finds nothing wrong with clean cuts, and measures how long each item was seen', () => {
    const six = Array.from({ length: 6 }, () => GREEN!);
    const { transitions, grabbed } = follow(RED!, RED!, ...six, BLUE!);
    expect(transitions).toEqual([
      { kind: 'image to video', lengthErrorMs: 0, black: 0, wrong: 0, torn: 0 },
      { kind: 'video to image', lengthErrorMs: -4, black: 0, wrong: 0, torn: 0 },
    ]);
    expect(grabbed).toMatchObject({ frames: 9, longestGapMs: 16 });
  });

  it('counts black frames, also where only a part of the screen is black', () => {
    expect(follow(RED!, BLACK, [RED!, BLACK], GREEN!).transitions).toMatchObject([{ black: 2, wrong: 0 }]);
  });

  it('counts frames of an item whose turn it is not', () => {
    expect(follow(RED!, BLUE!, GREEN!).transitions).toMatchObject([{ black: 0, wrong: 1 }]);
    expect(follow(RED!, GREEN!, RED!, BLUE!).transitions[1]).toMatchObject({ wrong: 1 });
  });

  it('knows a frame that was read while it was drawn', () => {
    const { transitions } = follow(RED!, [GREEN!, RED!], [GREEN!, RED!], GREEN!, BLUE!);
    expect(transitions).toMatchObject([
      { black: 0, wrong: 0, torn: 1 },
      { black: 0, wrong: 0, torn: 1 },
    ]);
  });

  it('counts nothing before the first item is there', () => {
    expect(follow(BLACK, BLACK, RED!, GREEN!).transitions).toMatchObject([{ black: 0 }]);
  });
});

it('the verdict about any page tells how long nothing was seen at each change', () => {
  const verdict = createOpenVerdict([RED!, GREEN!, BLUE!]);
  for (const frame of film(BLACK, RED!, RED!, BLACK, BLACK, GREEN!, [BLUE!, GREEN!], BLUE!)) {
    verdict.look(frame);
  }
  expect(verdict.blanksMs).toEqual([48, 0]);
});
