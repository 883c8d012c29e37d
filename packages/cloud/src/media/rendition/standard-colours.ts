import { VideoSample } from 'mediabunny';
import { changeMatrix } from './matrix-change.ts';
import { createToneMap } from './tone-map.ts';
import type { PlaneLayout, WideFrame } from './tone-map.ts';
import type { WideColours } from './wide-colours.ts';

/** How frames of a format are stored; null for one without planes of brightness, blue and red. */
export function planeLayout(format: string | null): PlaneLayout | null {
  const [, sampling, depth = '8'] = /^I4(20|22|44)(?:P(10|12))?$/.exec(format ?? '') ?? [];
  return sampling === undefined
    ? null
    : {
        depth: Number(depth),
        halfColumns: sampling === '44' ? 0 : 1,
        halfRows: sampling === '20' ? 1 : 0,
      };
}

/** Makes frames in these colours to frames in those of usual screens, see `createToneMap`. */
export const toStandardColours = (colours: WideColours): ((sample: VideoSample) => Promise<VideoSample>) =>
  convertWith(createToneMap(colours), colours.fullRange);

/** Makes frames that FFmpeg has written in the matrix of BT.601 to usual ones, see `changeMatrix`. */
export const toStandardMatrix = convertWith(changeMatrix, false);

function convertWith(
  convert: (frame: WideFrame) => Uint8ClampedArray<ArrayBuffer>,
  /** Of frames that do not tell. */
  usualFullRange: boolean,
): (sample: VideoSample) => Promise<VideoSample> {
  return async (sample) => {
    const { codedWidth, codedHeight, timestamp, duration } = sample;
    const layout = planeLayout(sample.format);
    if (!layout) {
      throw new Error(`Frames that are stored as ${sample.format} cannot be converted.`);
    }
    const bytes = new ArrayBuffer(sample.allocationSize());
    const [brightness, blue, red] = (await sample.copyTo(bytes)).map(({ offset, stride }) =>
      layout.depth === 8
        ? { values: new Uint8Array(bytes, offset), stride }
        : { values: new Uint16Array(bytes, offset), stride: stride / 2 },
    );
    if (!brightness || !blue || !red) {
      throw new Error('A frame has too few planes.');
    }
    const planes: WideFrame['planes'] = [brightness, blue, red];
    const pixels = convert({
      width: codedWidth,
      height: codedHeight,
      fullRange: sample.colorSpace.fullRange ?? usualFullRange,
      ...layout,
      planes,
    });
    return new VideoSample(pixels, { format: 'I420', codedWidth, codedHeight, timestamp, duration });
  };
}
