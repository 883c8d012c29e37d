import { readFile, writeFile } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { palettePng } from './palette-png.ts';
import { animation, from, picture, run, still } from './tools.ts';
import type { Recipe } from './tools.ts';
import { twelveBitJpeg } from './twelve-bit-jpeg.ts';

const ADOBE_RGB = '/usr/share/color/icc/colord/AdobeRGB1998.icc';
const PORTRAIT = { width: 90, height: 160 };

const PNG = { ending: 'png', recipe: picture(() => still().png()) };
/** Where the white square is in each frame. */
const SQUARES = [0.1, 0.5, 0.9];
const ANIMATION = { delay: SQUARES.map(() => 200), loop: 0 };
const GIF = { ending: 'gif', recipe: picture(() => animation(SQUARES).gif(ANIMATION)) };

const ffmpeg = (source: typeof PNG, options = ''): Recipe =>
  from(source, (input, path) =>
    run('ffmpeg', ['-y', '-loglevel', 'error', '-i', input, ...options.split(' ').filter(Boolean), path]),
  );
const AV1 = '-c:v libaom-av1 -cpu-used 8 -crf 30';

/** Stored as this EXIF orientation says, so that it is upright where that is respected. */
const oriented = (orientation: number, stored: Sharp, encode: (image: Sharp) => Sharp): Recipe =>
  picture(() => encode(stored).withMetadata({ orientation }));

/** With a hole in the middle. */
function transparent(): Sharp {
  const hole = '<svg width="160" height="90"><circle cx="80" cy="45" r="12"/></svg>';
  return still()
    .ensureAlpha()
    .composite([{ input: Buffer.from(hole), blend: 'dest-out' }]);
}

/** Names the brand of HEIF in place of that of AVIF, which stays among the compatible ones. */
function withGeneralBrand(avif: Buffer): Buffer {
  avif.write('mif1', 8);
  return avif;
}

export const pictures: Readonly<Record<string, Recipe>> = {
  'photo.jpg': picture(() => still().jpeg()),
  'phone-portrait-exif-6.jpg': oriented(6, still(PORTRAIT).rotate(270), (image) => image.jpeg()),
  'phone-upside-down-exif-3.jpg': oriented(3, still().rotate(180), (image) => image.jpeg()),
  'selfie-mirrored-exif-5.jpg': oriented(5, still(PORTRAIT).rotate(90).flip(), (image) => image.jpeg()),
  'website-progressive.jpg': picture(() => still({ width: 161, height: 91 }).jpeg({ progressive: true })),
  'print-cmyk.jpg': picture(() => still().toColourspace('cmyk').jpeg()),
  'grey.jpg': picture(() => still().grayscale().jpeg()),
  'iphone-display-p3.jpg': picture(() => still().withIccProfile('p3').jpeg()),
  'camera-adobe-rgb.jpg': picture(() => still().withIccProfile(ADOBE_RGB).jpeg()),
  'scanner-12-bit.jpg': (path) => writeFile(path, twelveBitJpeg()),
  'archive-arithmetic.jpg': from({ ending: 'bmp', recipe: ffmpeg(PNG) }, (bmp, path) =>
    run('cjpeg', ['-arithmetic', '-outfile', path, bmp]),
  ),
  'render-16-bit.png': picture(() => still().toColourspace('rgb16').png()),
  'website-interlaced.png': picture(() => still().png({ progressive: true })),
  'logo-palette-transparent.png': picture(() => transparent().png({ palette: true })),
  'animated.png': ffmpeg(GIF, '-plays 0 -f apng'),
  'turned-exif-8.webp': oriented(8, still(PORTRAIT).rotate(90), (image) => image.webp()),
  'lossless-transparent.webp': picture(() => transparent().webp({ lossless: true })),
  'animated.webp': picture(() => animation(SQUARES).webp(ANIMATION)),
  'animated.gif': GIF.recipe,
  'one-frame.gif': picture(() => still().gif()),
  'still.avif': picture(() => still().avif({ effort: 1 })),
  'camera-10-bit.avif': ffmpeg(PNG, `${AV1} -still-picture 1 -pix_fmt yuv420p10le`),
  'turned.avif': from(
    { ending: 'png', recipe: picture(() => still(PORTRAIT).rotate(270).png()) },
    (png, path) => run('avifenc', ['--irot', '3', '--speed', '10', png, path]),
  ),
  'general-brand.avif': from(
    { ending: 'avif', recipe: picture(() => still().avif({ effort: 1 })) },
    async (avif, path) => writeFile(path, withGeneralBrand(await readFile(avif))),
  ),
  'animated.avif': ffmpeg(GIF, `${AV1} -pix_fmt yuv420p`),
  'poster-36-megapixels.png': (path) => writeFile(path, palettePng({ width: 8000, height: 4500 })),
  'panorama-108-megapixels.png': (path) => writeFile(path, palettePng({ width: 12_000, height: 9000 })),
  'iphone.heic': from(PNG, (png, path) => run('heif-enc', ['-q', '50', png, '-o', path])),
  'scan.tiff': picture(() => still().tiff({ compression: 'lzw' })),
  'paint.bmp': ffmpeg(PNG, '-vf scale=48:27'),
  'favicon.ico': ffmpeg(PNG, '-vf scale=32:18'),
  'next-generation.jxl': ffmpeg(PNG, '-c:v libjxl -distance 2'),
};
