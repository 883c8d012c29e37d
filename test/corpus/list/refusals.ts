import type { CorpusFile } from '../corpus-file.ts';

const refused = (name: string, is: string, from: string, reason: string, message: string): CorpusFile => ({
  name,
  is,
  from,
  answer: { reason, message },
});
const AS_VIDEO = 'which screens cannot show. Convert it to MP4 with H.264.';
const AS_PICTURE = 'which screens cannot show. Export it as JPEG or PNG.';
const AS_PAGES = 'which screens cannot show. Export its pages as pictures (PNG or JPEG) or as a video (MP4).';
const ACCEPTED = 'Send a JPEG, PNG, WebP, GIF or AVIF picture, or an MP4, MOV or WebM video.';
const OTHER_CODEC =
  'MP4 and MOV files need H.264, HEVC or AV1; WebM files need VP8, VP9 or AV1. Export it as MP4 with H.264.';

/** Files that the cloud refuses, with what it says. */
export const refusals: readonly CorpusFile[] = [
  ...[
    ['download.mkv', 'H.264 in Matroska', 'Download, recording program', 'a Matroska video (MKV)'],
    [
      'camcorder.m2ts',
      'H.264 and AC-3 in a transport stream',
      'Camcorder (AVCHD)',
      'a transport stream (TS, MTS), as camcorders record it',
    ],
    ['dvd.mpg', 'MPEG-2 in a program stream', 'DVD', 'an MPEG video (MPG, VOB)'],
    ['presentation.wmv', 'Windows Media 8', 'Older presentation', 'a Windows Media file (WMV)'],
    ['camera-mjpeg.avi', 'Motion JPEG in AVI', 'Older digital camera', 'an AVI video'],
    ['old-phone.3gp', 'H.263 in 3GP', 'Older phone', 'a 3GP video of an older phone'],
    ['banner.flv', 'Sorenson in Flash Video', 'Old website', 'a Flash video (FLV)'],
    ['wiki.ogv', 'Theora in Ogg', 'Wikipedia', 'an Ogg video (OGV)'],
  ].map(([name = '', is = '', from = '', kind = '']) =>
    refused(name, is, from, 'unsupported_format', `This is ${kind}, ${AS_VIDEO}`),
  ),
  ...[
    ['edit-prores.mov', 'ProRes 422 Proxy in MOV', 'Editing program', 'ProRes, which is for editing'],
    ['edit-dnxhr.mov', 'DNxHR LB in MOV', 'Editing program', 'DNxHR, which is for editing'],
    [
      'title-animation.mov',
      'QuickTime Animation in MOV',
      'Older motion design',
      'QuickTime Animation, which is for editing',
    ],
    ['video-site-vp9.mp4', 'VP9 in MP4', 'Download from a video site', 'VP9'],
    ['old-divx.mp4', 'MPEG-4 Part 2 in MP4', 'Older phone, DivX', 'MPEG-4 Part 2 (DivX, Xvid)'],
  ].map(([name = '', is = '', from = '', codec = '']) =>
    refused(name, is, from, 'unsupported_codec', `The video is encoded as ${codec}. ${OTHER_CODEC}`),
  ),
  refused(
    'shop-encrypted.mp4',
    'H.264, encrypted (cenc)',
    'Bought or rented video',
    'unsupported_codec',
    'The video is protected against copying (DRM), so that only the programs of its shop can play it. Send a version without protection.',
  ),
  refused(
    'cut-off.mp4',
    'H.264 with its index first, 60 % of the bytes',
    'Copying was interrupted',
    'undecodable',
    'The video is incomplete: its end is missing. Copy or export it again.',
  ),
  refused(
    'cut-off-without-index.mp4',
    'H.264 without the index at its end',
    'The camera lost power',
    'no_picture',
    'The file is incomplete or damaged: it has no picture. Copy or export it again.',
  ),
  refused(
    'cut-off.webm',
    'VP8, 60 % of the bytes',
    'Copying was interrupted',
    'undecodable',
    'The video is incomplete: its end is missing. Copy or export it again.',
  ),
  refused(
    'cut-off.jpg',
    'JPEG, 60 % of the bytes',
    'Copying was interrupted',
    'undecodable',
    'The picture is incomplete or damaged. Copy it again, or export it as JPEG or PNG. (VipsJpeg: premature end of JPEG image)',
  ),
  refused(
    'cut-off.png',
    'PNG, 60 % of the bytes',
    'Copying was interrupted',
    'undecodable',
    'The picture is incomplete or damaged. Copy it again, or export it as JPEG or PNG. (vipspng: libpng read error)',
  ),
  refused(
    'cut-off.gif',
    'Animated GIF, 80 % of the bytes',
    'Copying was interrupted',
    'undecodable',
    'The animation is incomplete: its end is missing. Copy or export it again.',
  ),
  refused(
    'scanner-12-bit.jpg',
    'JPEG with 12 bits',
    'Medical or technical scanner',
    'undecodable',
    'The JPEG has 12 bits per colour, which screens cannot show. Export it as JPEG with 8 bits, or as PNG.',
  ),
  refused(
    'archive-arithmetic.jpg',
    'JPEG with arithmetic coding',
    'Archive that saves space',
    'undecodable',
    'The JPEG is coded in a rare way (arithmetic or lossless), which screens cannot show. Export it as a usual JPEG, or as PNG.',
  ),
  refused(
    'zero-duration.mp4',
    'H.264, one frame of 0 s',
    'Poster frame of an editing program',
    'no_picture',
    'The video is 0 seconds long or has no picture. Export it again as MP4 with H.264.',
  ),
  refused(
    'sound-only.mp4',
    'AAC in MP4',
    'Podcast',
    'no_picture',
    'The file has sound but no picture. Send a video or a picture.',
  ),
  refused(
    'song.mp3',
    'MP3',
    'Music',
    'unsupported_format',
    'This is a sound file without a picture, which screens cannot show. Send a video that has this sound.',
  ),
  refused(
    'panorama-108-megapixels.png',
    'PNG, 12000 × 9000 in 51 kB',
    'Panorama, map',
    'too_many_pixels',
    'The picture has 12000 × 9000 pixels; at most 100 million are accepted. Export it smaller, for example with 3840 × 2160.',
  ),
  ...[
    ['iphone.heic', 'HEIC', 'iPhone', 'a HEIC picture, as iPhones take them'],
    ['scan.tiff', 'TIFF', 'Scanner, layout for print', 'a TIFF picture'],
    ['paint.bmp', 'BMP', 'Windows Paint', 'a BMP picture'],
    ['favicon.ico', 'Icon', 'Website', 'an icon file'],
    ['next-generation.jxl', 'JPEG XL', 'Photo program', 'a JPEG XL picture'],
    ['logo.svg', 'SVG', 'Designer, website', 'an SVG drawing'],
  ].map(([name = '', is = '', from = '', kind = '']) =>
    refused(name, is, from, 'unsupported_format', `This is ${kind}, ${AS_PICTURE}`),
  ),
  refused('poster.pdf', 'PDF', 'Layout program', 'unsupported_format', `This is a PDF document, ${AS_PAGES}`),
  refused(
    'menu.pptx',
    'PowerPoint',
    'Office program',
    'unsupported_format',
    `This is a presentation, ${AS_PAGES}`,
  ),
  refused(
    'empty.mp4',
    '0 bytes',
    'Copying was interrupted',
    'unsupported_format',
    'The file is empty (0 bytes). Copy or export it again.',
  ),
  refused(
    'notes-renamed.mp4',
    'Text, named `.mp4`',
    'Renamed by hand',
    'unsupported_format',
    `This is a text file, whatever its name says. ${ACCEPTED}`,
  ),
  refused(
    'sign-in-page.jpg',
    'HTML, named `.jpg`',
    'Download that asks to sign in',
    'unsupported_format',
    'This is a web page, probably saved in place of the file itself, for example because the site asks to sign in. Open it in a browser and download the file again.',
  ),
];
