/** The bytes of a JPEG file that says this size and has a text instead of a picture. */
export function buildJpeg(text: string, { width, height } = { width: 960, height: 540 }): Buffer {
  const comment = Buffer.alloc(4);
  comment.writeUInt16BE(0xfffe, 0);
  comment.writeUInt16BE(2 + Buffer.byteLength(text), 2);
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    comment,
    Buffer.from(text),
    frame,
    Buffer.from([0xff, 0xd9]),
  ]);
}
