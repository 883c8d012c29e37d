import type { VideoSample } from 'mediabunny';
import type { PlaneLayout, WideFrame } from './tone-map.ts';

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

/** The planes of a frame whose format has a `planeLayout`. A frame may not tell whether it is in full range. */
export async function readFrame(sample: VideoSample, usualFullRange: boolean): Promise<WideFrame> {
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
  return {
    width: sample.codedWidth,
    height: sample.codedHeight,
    fullRange: sample.colorSpace.fullRange ?? usualFullRange,
    ...layout,
    planes: [brightness, blue, red],
  };
}
