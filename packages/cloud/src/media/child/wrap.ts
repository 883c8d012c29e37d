import type { EncodedPacket, InputVideoTrack } from 'mediabunny';

/**
 * A picture out of a video, as the file of a still image; null where that would take a decoder. What VP8 and AV1
 * write for a whole picture is what WebP and AVIF hold: it only has to be wrapped.
 */
export async function wrapped(track: InputVideoTrack, packet: EncodedPacket): Promise<Buffer | null> {
  const wrap = WRAPS[(await track.getCodec()) ?? ''];
  return wrap ? wrap(Buffer.from(packet.data), track) : null;
}

const WRAPS: Record<string, (picture: Buffer, track: InputVideoTrack) => Promise<Buffer>> = {
  vp8: async (picture) => webpOf(picture),
  av1: async (picture, track) =>
    avifOf(picture, {
      width: await track.getCodedWidth(),
      height: await track.getCodedHeight(),
      configuration: av1Configuration((await track.getCodecParameterString()) ?? ''),
    }),
};

/** RFC 9649: a simple WebP file is one VP8 key frame. */
function webpOf(picture: Buffer): Buffer {
  const chunk = Buffer.concat([
    Buffer.from('VP8 '),
    littleEndian(picture.length),
    picture,
    // Chunks have an even length.
    Buffer.alloc(picture.length % 2),
  ]);
  return Buffer.concat([Buffer.from('RIFF'), littleEndian(4 + chunk.length), Buffer.from('WEBP'), chunk]);
}

function littleEndian(value: number): Buffer {
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
function avifOf(picture: Buffer, { width, height, configuration }: Av1Picture): Buffer {
  const fileType = box('ftyp', Buffer.from('avif'), whole(0), Buffer.from('avifmif1miaf'));
  const metaOf = (offset: number) =>
    full(
      'meta',
      full('hdlr', whole(0), Buffer.from('pict'), Buffer.alloc(13)),
      full('pitm', short(1)),
      // One item of one extent, both numbers of four bytes.
      full(
        'iloc',
        Buffer.from([0x44, 0]),
        short(1),
        short(1),
        short(0),
        short(1),
        whole(offset),
        whole(picture.length),
      ),
      full('iinf', short(1), fullOf('infe', 2, short(1), short(0), Buffer.from('av01\0'))),
      box(
        'iprp',
        box('ipco', full('ispe', whole(width), whole(height)), box('av1C', configuration)),
        // Item 1 has both properties; the second one has to be understood.
        full('ipma', whole(1), short(1), Buffer.from([2, 1, 0x80 | 2])),
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

function whole(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function short(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([whole(8 + content.length), Buffer.from(type), content]);
}

/** A box with a version and no flags. */
const fullOf = (type: string, version: number, ...parts: Buffer[]) =>
  box(type, Buffer.from([version, 0, 0, 0]), ...parts);
const full = (type: string, ...parts: Buffer[]) => fullOf(type, 0, ...parts);
