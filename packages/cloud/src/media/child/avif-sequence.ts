/** The still picture in an animated AVIF, which is all that libheif reads, and how many frames the animation has. */
export interface AvifSequence {
  still: Buffer;
  frames: number;
}

/** Null for anything else. The still picture is required of AVIF sequences (AV1 Image File Format, section 3). */
export function readAvifSequence(bytes: Buffer): AvifSequence | null {
  if (bytes.toString('latin1', 4, 12) !== 'ftypavis') {
    return null;
  }
  const still = Buffer.from(bytes);
  still.write('avif', 8);
  const sizes = bytes.indexOf('stsz');
  const frames = sizes >= 0 && sizes + 16 <= bytes.length ? bytes.readUInt32BE(sizes + 12) : 1;
  return { still, frames };
}
