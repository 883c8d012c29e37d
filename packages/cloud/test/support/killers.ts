/** Files that end, hang or fill the program that reads them. Small, and made from sound ones. */

/** Boxes of ISO 14496-12 that hold boxes. */
const NESTS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'moof', 'traf', 'edts']);

interface Box {
  type: string;
  /** Where it begins in the file, with its head of 8 bytes. */
  at: number;
  size: number;
  inside: Box[];
}

function boxesOf(file: Buffer, from = 0, to = file.length): Box[] {
  const found: Box[] = [];
  for (let at = from; at + 8 <= to;) {
    const size = file.readUInt32BE(at);
    if (size < 8) break;
    const type = file.toString('latin1', at + 4, at + 8);
    found.push({ type, at, size, inside: NESTS.has(type) ? boxesOf(file, at + 8, at + size) : [] });
    at += size;
  }
  return found;
}

/** The boxes on the way to the first one of this path. */
function wayTo(file: Buffer, path: readonly string[]): Box[] {
  const way: Box[] = [];
  let boxes = boxesOf(file);
  for (const type of path) {
    const box = boxes.find((one) => one.type === type);
    if (!box) throw new Error(`the file has no ${path.join('/')}`);
    way.push(box);
    boxes = box.inside;
  }
  return way;
}

/** Puts bytes at the end of the box of this path. Only for files whose media data come before `moov`. */
function append(file: Buffer, path: readonly string[], bytes: Buffer): Buffer {
  const way = wayTo(file, path);
  const box = way.at(-1)!;
  const made = Buffer.concat([file.subarray(0, box.at + box.size), bytes, file.subarray(box.at + box.size)]);
  for (const { at, size } of way) made.writeUInt32BE(size + bytes.length, at);
  return made;
}

const whole = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, i) => bytes.writeUInt32BE(value, i * 4));
  return bytes;
};
const box = (type: string, content: Buffer) =>
  Buffer.concat([whole(8 + content.length), Buffer.from(type), content]);

const TABLE = ['moov', 'trak', 'mdia', 'minf', 'stbl'];

/** An MP4 whose tables name two thousand million pictures: whoever lists them needs some 200 GB. */
export function mp4WithHugeCounts(mp4: Buffer): Buffer {
  const made = append(mp4, TABLE, box('ctts', whole(0, 1, 0x7fffffff, 1)));
  const times = wayTo(made, [...TABLE, 'stts']).at(-1)!;
  made.writeUInt32BE(0x7fffffff, times.at + 16);
  return made;
}

/** An MP4 with so many shifts of pictures that going through them takes hours, without any memory. */
export function mp4WithEndlessShifts(mp4: Buffer): Buffer {
  const entries = Array.from({ length: 500 }, () => [0xffffffff, 1]).flat();
  return append(mp4, TABLE, box('ctts', whole(0, 500, ...entries)));
}

/** An MP4 with one track so many times. */
export function mp4WithTracks(mp4: Buffer, tracks: number): Buffer {
  const track = wayTo(mp4, ['moov', 'trak']).at(-1)!;
  const copy = mp4.subarray(track.at, track.at + track.size);
  return append(mp4, ['moov'], Buffer.concat(Array.from({ length: tracks - 1 }, () => copy)));
}

/** A GIF of a few bytes that says it has so many pixels, in so many frames. */
export function gifOf(width: number, height: number, frames = 1): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(width, 0);
  size.writeUInt16LE(height, 2);
  const frame = Buffer.concat([
    Buffer.from([0x21, 0xf9, 4, 0, 10, 0, 0, 0, 0x2c, 0, 0, 0, 0]),
    size,
    // One row of zeros, coded by two bits.
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

/** A WebP of 40 bytes: a sound head, and nothing that could be decoded. */
export function webpWithoutPicture(): Buffer {
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

/** A WebM of VP8 whose pictures claim 10,240 × 10,240 pixels, unlike its container. */
export function webmWithLargePictures(webm: Buffer): Buffer {
  const made = Buffer.from(webm);
  // The start code of a key frame, width and height.
  const startCode = Buffer.from([0x9d, 1, 0x2a]);
  for (let at = made.indexOf(startCode); at !== -1; at = made.indexOf(startCode, at + 1))
    made.fill(Buffer.from([0, 0x28]), at + 3, at + 7);
  return made;
}
