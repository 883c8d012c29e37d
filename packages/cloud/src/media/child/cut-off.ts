import { open } from 'node:fs/promises';
import type { InputVideoTrack } from 'mediabunny';

/** Whether the end of a video is missing, as when copying it was interrupted; only if that is certain. */
export async function isCutOff(path: string, track: InputVideoTrack): Promise<boolean> {
  return (await isSegmentCutOff(path)) || lacksLastFrame(track);
}

/** MP4 and MOV: the index lists a last frame that is not in the file. */
async function lacksLastFrame(track: InputVideoTrack): Promise<boolean> {
  const { EncodedPacketSink } = await import('mediabunny');
  const sink = new EncodedPacketSink(track);
  const listed = await sink.getPacket(Infinity, { metadataOnly: true });
  return listed !== null && (await sink.getPacket(Infinity)) === null;
}

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;

/** WebM: the segment, which contains everything, ends behind the end of the file. Recorders leave its size open. */
async function isSegmentCutOff(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(256), 0, 256, 0);
    const head = buffer.readUInt32BE(0) === EBML ? readSize(buffer, 4) : null;
    const segmentAt = head?.endsAt ?? Infinity;
    if (segmentAt + 12 > buffer.length || buffer.readUInt32BE(segmentAt) !== SEGMENT) {
      return false;
    }
    const segment = readSize(buffer, segmentAt + 4);
    return segment !== null && segment.endsAt > (await file.stat()).size;
  } finally {
    await file.close();
  }
}

/** Where the element ends whose size is stored at `at` (RFC 8794); null when the size is open or not valid. */
function readSize(bytes: Buffer, at: number): { endsAt: number } | null {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > 8) {
    return null;
  }
  let size = BigInt(first) & ((1n << BigInt(8 - length)) - 1n);
  for (let i = 1; i < length; i++) {
    size = (size << 8n) | BigInt(bytes[at + i] ?? 0);
  }
  const isOpen = size === (1n << BigInt(7 * length)) - 1n;
  return isOpen ? null : { endsAt: at + length + Number(size) };
}
