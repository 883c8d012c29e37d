/** Stored size of a JPEG (before orientation), from its frame header; null when it is no JPEG or has no header. */
export function readJpegSize(bytes: Uint8Array): { width: number; height: number } | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const START_OF_IMAGE = 0xffd8;
  const NOT_FRAMES = [0xffc4, 0xffc8, 0xffcc];
  if (bytes.length < 4 || view.getUint16(0) !== START_OF_IMAGE) {
    return null;
  }
  for (let at = 2; at + 9 <= bytes.length; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at);
    if (marker < 0xff00) {
      return null;
    }
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && !NOT_FRAMES.includes(marker);
    if (isFrame) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
  }
  return null;
}
