import { open } from 'node:fs/promises';

const ACCEPTED = 'Send a JPEG, PNG, WebP, GIF or AVIF picture, or an MP4, MOV or WebM video.';

const TO_PICTURE = 'Export it as JPEG or PNG.';
const TO_VIDEO = 'Convert it to MP4 with H.264.';
const TO_PAGES = 'Export its pages as pictures (PNG or JPEG) or as a video (MP4).';
const TO_CONTENT = 'Unpack it and send the pictures and videos in it.';

/** What people send besides pictures and videos for screens, by media type: what it is, and what to do with it. */
const KINDS: readonly (readonly [RegExp, kind: string, advice: string])[] = [
  [/^image\/hei[cf]/, 'a HEIC picture, as iPhones take them', TO_PICTURE],
  [/^image\/tiff$/, 'a TIFF picture', TO_PICTURE],
  [/^image\/bmp$/, 'a BMP picture', TO_PICTURE],
  [/^image\/(x-icon|icns)$/, 'an icon file', TO_PICTURE],
  [/^image\/jxl$/, 'a JPEG XL picture', TO_PICTURE],
  [/^image\/(jp2|jpx|jpm|j2c|mj2)$/, 'a JPEG 2000 picture', TO_PICTURE],
  [/^image\/x-(adobe|canon|nikon|sony|fujifilm|olympus|panasonic)/, 'a raw picture of a camera', TO_PICTURE],
  [/^image\/vnd\.adobe\.photoshop$/, 'a Photoshop document', TO_PICTURE],
  [/^application\/(eps|postscript)$/, 'a PostScript drawing', TO_PICTURE],
  [/^application\/x-indesign$/, 'an InDesign document', TO_PAGES],
  [/^application\/pdf$/, 'a PDF document', TO_PAGES],
  [/presentation|powerpoint/, 'a presentation', TO_PAGES],
  [/^application\/x-cfb$/, 'an Office document', TO_PAGES],
  [/officedocument|opendocument|ms-(word|excel)/, 'an Office document', TO_PAGES],
  [/^video\/matroska$/, 'a Matroska video (MKV)', TO_VIDEO],
  [/^video\/vnd\.avi$/, 'an AVI video', TO_VIDEO],
  [/ms-asf$/, 'a Windows Media file (WMV)', TO_VIDEO],
  [/^video\/(MP1S|MP2P|mpeg)$/, 'an MPEG video (MPG, VOB)', TO_VIDEO],
  [/^video\/mp2t$/, 'a transport stream (TS, MTS), as camcorders record it', TO_VIDEO],
  [/^video\/x-flv$/, 'a Flash video (FLV)', TO_VIDEO],
  [/^video\/ogg$/, 'an Ogg video (OGV)', TO_VIDEO],
  [/^video\/3gpp/, 'a 3GP video of an older phone', TO_VIDEO],
  [/^application\/mxf$/, 'an MXF video of a camera', TO_VIDEO],
  [/^application\/vnd\.rn-realmedia$/, 'a RealMedia video', TO_VIDEO],
  [/^audio\//, 'a sound file without a picture', 'Send a video that has this sound.'],
  [/(zip|-rar-|-7z-|-tar|gzip)/, 'an archive', TO_CONTENT],
];

/** Says what a file is that screens cannot show, and what to do; `mime` is its media type, if its bytes tell. */
export async function explainFormat(path: string, mime: string | undefined): Promise<string> {
  const found = mime && KINDS.find(([pattern]) => pattern.test(mime));
  if (found) {
    return `This is ${found[1]}, which screens cannot show. ${found[2]}`;
  }
  return (
    explainText(await readStart(path)) ??
    `The file is ${mime ?? 'of an unknown type or damaged'}. ${ACCEPTED}`
  );
}

/** The same for a file of letters, such as a web page; null for any other. */
function explainText(start: Buffer): string | null {
  if (start.length === 0) {
    return 'The file is empty (0 bytes). Copy or export it again.';
  }
  if (start.includes(0)) {
    return null;
  }
  // A letter of several bytes may be cut off at the end.
  const text = start.toString('utf8').replace(/\uFFFD$/, '');
  if (/<svg[\s>]/i.test(text)) {
    return `This is an SVG drawing, which screens cannot show. ${TO_PICTURE}`;
  }
  if (/^\s*<(!doctype html|html|head|body)/i.test(text)) {
    return (
      'This is a web page, probably saved in place of the file itself, for example because the site asks to sign in. ' +
      'Open it in a browser and download the file again.'
    );
  }
  return text.includes('\uFFFD') ? null : `This is a text file, whatever its name says. ${ACCEPTED}`;
}

async function readStart(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
