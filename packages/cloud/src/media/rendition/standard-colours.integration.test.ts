import { VideoSample } from 'mediabunny';
import { beforeAll, expect, test } from 'vitest';
import {
  colourAt,
  distanceOf,
  frameOf,
  HLG,
  inHlg,
  inPq,
  mapRgb,
  P3,
  PQ,
  TEN_BITS,
} from '../../../test/support/hdr-frames.ts';
import type { Rgb } from '../../../test/support/hdr-frames.ts';
import { loadDecoder } from '../child/decoder.ts';
import { scaledColours } from '../colours/wide-colours.ts';
import type { WideColours } from '../colours/wide-colours.ts';
import { toStandardColours, toStandardMatrix } from './standard-colours.ts';

/** Of 255; FFmpeg rounds as well. */
const TOLERANCE = 6;
const SIZE = { width: 64, height: 48 };
const QUADRANTS: readonly Rgb[] = [
  [170, 60, 40],
  [40, 150, 60],
  [50, 60, 170],
  [160, 140, 50],
];
const EIGHT_BITS = { ...TEN_BITS, depth: 8 };
const BT709: WideColours = { ...P3, primaries: 'bt709' };
/** As WebCodecs names them. */
const MATRIX_NAMES = { bt2020: 'bt2020-ncl', bt709: 'bt709', bt601: 'smpte170m' } as const;

beforeAll(loadDecoder);

/** A frame of four colours, which tells its matrix as those of decoders do. */
function createSample(colours: WideColours, signalsOf: (rgb: Rgb) => Rgb, layout = TEN_BITS): VideoSample {
  const { width, height } = SIZE;
  const signals = QUADRANTS.map(signalsOf);
  const signalsAt = (x: number, y: number) => signals[(y < height / 2 ? 0 : 2) + (x < width / 2 ? 0 : 1)]!;
  const { planes } = frameOf({ ...SIZE, signalsAt, colours, layout });
  return new VideoSample(
    Buffer.concat(
      planes.map(({ values }) => Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
    ),
    {
      format: layout.depth === 8 ? 'I420' : 'I420P10',
      codedWidth: width,
      codedHeight: height,
      timestamp: 1,
      duration: 2,
      colorSpace: { matrix: MATRIX_NAMES[colours.matrix], fullRange: colours.fullRange },
    },
  );
}

async function coloursOf(made: VideoSample): Promise<Rgb[]> {
  const { codedWidth: width, codedHeight: height } = made;
  expect(made).toMatchObject({ format: 'I420', timestamp: 1, duration: 2 });
  const pixels = new Uint8Array(made.allocationSize());
  await made.copyTo(pixels);
  return QUADRANTS.map((_, index) =>
    colourAt(
      pixels,
      { width, height },
      width * (index % 2 === 0 ? 0.25 : 0.75),
      height * (index < 2 ? 0.25 : 0.75),
    ),
  );
}

const plainSignals = (rgb: Rgb): Rgb => mapRgb(rgb, (value) => value / 255);

const differences = (actual: readonly Rgb[]) =>
  actual
    .map((rgb, index) => ({ rgb, expected: QUADRANTS[index]! }))
    .filter(({ rgb, expected }) => distanceOf(rgb, expected) > TOLERANCE);

test.each([
  { name: 'PQ', colours: PQ, signalsOf: inPq },
  { name: 'HLG', colours: HLG, signalsOf: inHlg },
  { name: 'PQ in full range', colours: { ...PQ, fullRange: true }, signalsOf: inPq },
])('frames in $name have their colours, also when FFmpeg has scaled them', async ({ colours, signalsOf }) => {
  using sample = createSample(colours, signalsOf);
  using made = await toStandardColours(colours)(sample);
  expect(differences(await coloursOf(made))).toEqual([]);

  using scaled = await sample.transform({ width: 32, height: 24, fit: 'fill' });
  const told = { matrix: 'bt2020-ncl', fullRange: colours.fullRange };
  using madeOfScaled = await toStandardColours(scaledColours(colours, told))(scaled);
  expect(differences(await coloursOf(madeOfScaled))).toEqual([]);
});

test.each([
  { name: '8 bits', colours: BT709, layout: EIGHT_BITS },
  { name: '10 bits', colours: BT709, layout: TEN_BITS },
  { name: 'full range', colours: { ...BT709, fullRange: true }, layout: EIGHT_BITS },
])('frames without HDR that FFmpeg has scaled have their colours: $name', async ({ colours, layout }) => {
  using sample = createSample(colours, plainSignals, layout);
  using scaled = await sample.transform({ width: 32, height: 24, fit: 'fill' });
  using made = await toStandardMatrix(scaled);
  expect(differences(await coloursOf(made))).toEqual([]);
});
