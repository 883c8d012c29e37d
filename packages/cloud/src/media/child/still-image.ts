import type { EncodedPacket, InputVideoTrack } from 'mediabunny';

/**
 * A frame of a video as a still image file; null if that requires a decoder. WebP and AVIF contain VP8 and AV1 key
 * frames, which only need a container.
 */
export async function wrapAsStillImage(
  track: InputVideoTrack,
  packet: EncodedPacket,
): Promise<Buffer | null> {
  const wrap = WRAPPERS[(await track.getCodec()) ?? ''];
  return wrap ? wrap(Buffer.from(packet.data), track) : null;
}

const WRAPPERS: Record<string, (picture: Buffer, track: InputVideoTrack) => Promise<Buffer>> = {
  vp8: async (picture) => toWebp(picture),
  av1: async (picture, track) =>
    toAvif(picture, {
      width: await track.getCodedWidth(),
      height: await track.getCodedHeight(),
      configuration: av1Configuration((await track.getCodecParameterString()) ?? ''),
    }),
};

/** RFC 9649: a simple WebP file is one VP8 key frame. */
function toWebp(picture: Buffer): Buffer {
  const chunk = Buffer.concat([
    Buffer.from('VP8 '),
    uint32LittleEndian(picture.length),
    picture,
    // Chunks are padded to an even length.
    Buffer.alloc(picture.length % 2),
  ]);
  return Buffer.concat([
    Buffer.from('RIFF'),
    uint32LittleEndian(4 + chunk.length),
    Buffer.from('WEBP'),
    chunk,
  ]);
}

function uint32LittleEndian(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

interface Av1Picture {
  width: number;
  height: number;
  configuration: Buffer;
}

/** An AVIF file (ISO 23000-22) with the picture as its only item. */
function toAvif(picture: Buffer, { width, height, configuration }: Av1Picture): Buffer {
  const fileType = box('ftyp', Buffer.from('avif'), uint32(0), Buffer.from('avifmif1miaf'));
  const metaOf = (offset: number) =>
    fullBox(
      'meta',
      fullBox('hdlr', uint32(0), Buffer.from('pict'), Buffer.alloc(13)),
      fullBox('pitm', uint16(1)),
      // One item with one extent; offset and length have four bytes.
      fullBox(
        'iloc',
        Buffer.from([0x44, 0]),
        uint16(1),
        uint16(1),
        uint16(0),
        uint16(1),
        uint32(offset),
        uint32(picture.length),
      ),
      fullBox('iinf', uint16(1), versionedBox('infe', 2, uint16(1), uint16(0), Buffer.from('av01\0'))),
      box(
        'iprp',
        box('ipco', fullBox('ispe', uint32(width), uint32(height)), box('av1C', configuration)),
        // Item 1 has both properties; the second one is essential.
        fullBox('ipma', uint32(1), uint16(1), Buffer.from([2, 1, 0x80 | 2])),
      ),
    );
  const start = fileType.length + metaOf(0).length + 8;
  return Buffer.concat([fileType, metaOf(start), box('mdat', picture)]);
}

/** The configuration record of AV1, from `av01.<profile>.<level><tier>.<depth>[.<monochrome>.<chroma>…]`. */
function av1Configuration(codec: string): Buffer {
  const [, profile = '0', level = '00M', depth = '08', monochrome = '0', chroma = '110'] = codec.split('.');
  const flags =
    (level.endsWith('H') ? 0x80 : 0) |
    (Number(depth) > 8 ? 0x40 : 0) |
    (Number(depth) > 10 ? 0x20 : 0) |
    (monochrome === '1' ? 0x10 : 0) |
    (chroma[0] === '1' ? 0x08 : 0) |
    (chroma[1] === '1' ? 0x04 : 0) |
    (Number(chroma[2]) & 0x03);
  return Buffer.from([0x81, (Number(profile) << 5) | Number.parseInt(level, 10), flags, 0]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([uint32(8 + content.length), Buffer.from(type), content]);
}

/** A box with a version and no flags. */
const versionedBox = (type: string, version: number, ...parts: Buffer[]) =>
  box(type, Buffer.from([version, 0, 0, 0]), ...parts);
const fullBox = (type: string, ...parts: Buffer[]) => versionedBox(type, 0, ...parts);
