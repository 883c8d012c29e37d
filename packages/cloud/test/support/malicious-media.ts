/** Small files, made from valid ones, that crash or hang their reader or exhaust its memory. */

/** Container boxes of ISO 14496-12. */
const CONTAINER_BOXES = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf', 'edts']);

interface Box {
  type: string;
  /** Offset of the 8-byte box header in the file. */
  offset: number;
  size: number;
  children: Box[];
}

function parseBoxes(file: Buffer, from = 0, to = file.length): Box[] {
  const found: Box[] = [];
  for (let offset = from; offset + 8 <= to;) {
    const size = file.readUInt32BE(offset);
    if (size < 8) {
      break;
    }
    const type = file.toString('latin1', offset + 4, offset + 8);
    found.push({
      type,
      offset,
      size,
      children: CONTAINER_BOXES.has(type) ? parseBoxes(file, offset + 8, offset + size) : [],
    });
    offset += size;
  }
  return found;
}

/** The chain of boxes to the first box of this path. */
function findBoxPath(file: Buffer, path: readonly string[]): Box[] {
  const boxPath: Box[] = [];
  let boxes = parseBoxes(file);
  for (const type of path) {
    const box = boxes.find((one) => one.type === type);
    if (!box) {
      throw new Error(`the file has no ${path.join('/')}`);
    }
    boxPath.push(box);
    boxes = box.children;
  }
  return boxPath;
}

/** Appends bytes to the box of this path. Only for files whose media data comes before `moov`. */
function appendToBox(file: Buffer, path: readonly string[], bytes: Buffer): Buffer {
  const boxPath = findBoxPath(file, path);
  const box = boxPath.at(-1)!;
  const result = Buffer.concat([
    file.subarray(0, box.offset + box.size),
    bytes,
    file.subarray(box.offset + box.size),
  ]);
  for (const { offset, size } of boxPath) {
    result.writeUInt32BE(size + bytes.length, offset);
  }
  return result;
}

const uint32s = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => bytes.writeUInt32BE(value, i * 4));
  return bytes;
};
const makeBox = (type: string, content: Buffer) =>
  Buffer.concat([uint32s(8 + content.length), Buffer.from(type), content]);

const SAMPLE_TABLE_PATH = ['moov', 'trak', 'mdia', 'minf', 'stbl'];

/** An MP4 whose tables declare two billion samples: listing them takes about 200 GB. */
export function mp4WithHugeSampleCounts(mp4: Buffer): Buffer {
  const result = appendToBox(mp4, SAMPLE_TABLE_PATH, makeBox('ctts', uint32s(0, 1, 0x7fffffff, 1)));
  const times = findBoxPath(result, [...SAMPLE_TABLE_PATH, 'stts']).at(-1)!;
  result.writeUInt32BE(0x7fffffff, times.offset + 16);
  return result;
}

/** An MP4 with so many composition offsets that iterating over them takes hours, without using memory. */
export function mp4WithEndlessTimeOffsets(mp4: Buffer): Buffer {
  const entries = Array.from({ length: 500 }, () => [0xffffffff, 1]).flat();
  return appendToBox(mp4, SAMPLE_TABLE_PATH, makeBox('ctts', uint32s(0, 500, ...entries)));
}

/** An MP4 that repeats one track `tracks` times. */
export function mp4WithTracks(mp4: Buffer, tracks: number): Buffer {
  const track = findBoxPath(mp4, ['moov', 'trak']).at(-1)!;
  const copy = mp4.subarray(track.offset, track.offset + track.size);
  return appendToBox(mp4, ['moov'], Buffer.concat(Array.from({ length: tracks - 1 }, () => copy)));
}

/** A GIF of a few bytes that declares this size and number of frames. */
export function gifOf(width: number, height: number, frames = 1): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const frame = Buffer.concat([
    Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0]),
    size,
    // One row of zeros, LZW-coded with two bits.
    Buffer.from([0, 2, 2, 0x44, 1, 0]),
  ]);
  return Buffer.concat([
    Buffer.from('GIF89a'),
    size,
    Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ]);
}

/** A WebP of 40 bytes with a valid header and no decodable data. */
export function webpWithoutImageData(): Buffer {
  const picture = Buffer.alloc(20);
  picture.set([0x30, 1, 0, 0x9d, 1, 0x2a, 64, 0, 48, 0]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(picture.length);
  return Buffer.concat([
    Buffer.from('RIFF'),
    Buffer.from([32, 0, 0, 0]),
    Buffer.from('WEBPVP8 '),
    length,
    picture,
  ]);
}

/** A VP8 WebM whose frames declare 10,240 × 10,240 pixels, unlike the container. */
export function webmWithLargeFrames(webm: Buffer): Buffer {
  const result = Buffer.from(webm);
  // Start code of a key frame; width and height follow.
  const startCode = Buffer.from([0x9d, 1, 0x2a]);
  for (let at = result.indexOf(startCode); at !== -1; at = result.indexOf(startCode, at + 1)) {
    result.fill(Buffer.from([0, 0x28]), at + 3, at + 7);
  }
  return result;
}
