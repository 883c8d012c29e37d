import type { Accepted, Playable } from '../corpus-file.ts';

const LANDSCAPE = { width: 160, height: 90 };
const PORTRAIT = { width: 90, height: 160 };

const ENDINGS: Record<string, string> = { jpg: 'jpeg' };

const picture = (
  name: string,
  is: string,
  from: string,
  answer: Pick<Accepted, 'width' | 'height' | 'isGrey'> & { format?: string } = LANDSCAPE,
): Playable => {
  const ending = name.split('.').at(-1) ?? '';
  return {
    name,
    is,
    from,
    answer: { format: ENDINGS[ending] ?? ending, duration: null, codec: null, ...answer },
  };
};

/** Pictures that screens show. */
export const pictures: readonly Playable[] = [
  picture('photo.jpg', 'JPEG, baseline', 'Anywhere'),
  picture('phone-portrait-exif-6.jpg', 'JPEG with EXIF orientation 6', 'Phone held upright', PORTRAIT),
  picture('phone-upside-down-exif-3.jpg', 'JPEG with EXIF orientation 3', 'Phone held upside down'),
  picture('selfie-mirrored-exif-5.jpg', 'JPEG with EXIF orientation 5', 'Front camera of a phone', PORTRAIT),
  picture('website-progressive.jpg', 'JPEG, progressive, 161 × 91', 'Website', { width: 161, height: 91 }),
  picture('print-cmyk.jpg', 'JPEG in CMYK', 'Layout for print'),
  picture('grey.jpg', 'JPEG in shades of grey', 'Scanner, newspaper', { ...LANDSCAPE, isGrey: true }),
  picture('iphone-display-p3.jpg', 'JPEG with a profile for Display P3', 'iPhone'),
  picture('camera-adobe-rgb.jpg', 'JPEG with a profile for Adobe RGB', 'Camera of a photographer'),
  picture('png-named.jpg', 'PNG, named `.jpg`', 'Renamed by hand', { ...LANDSCAPE, format: 'png' }),
  picture('render-16-bit.png', 'PNG with 16 bits', 'Render of an architect'),
  picture('website-interlaced.png', 'PNG, interlaced', 'Website'),
  picture(
    'logo-palette-transparent.png',
    'PNG with a palette and a transparent part',
    'Logo from a designer',
  ),
  picture('animated.png', 'Animated PNG of three frames', 'Sticker, animated logo'),
  picture('poster-36-megapixels.png', 'PNG, 8000 × 4500 in 20 kB', 'Poster exported for print', {
    width: 8000,
    height: 4500,
  }),
  picture('turned-exif-8.webp', 'WebP with EXIF orientation 8', 'Photo converted for the web', PORTRAIT),
  picture('lossless-transparent.webp', 'WebP, lossless, with a transparent part', 'Logo of a website'),
  picture('animated.webp', 'Animated WebP of three frames', 'Sticker, website'),
  picture('animated.gif', 'Animated GIF of three frames', 'Anywhere'),
  picture('one-frame.gif', 'GIF of one frame', 'Old website'),
  picture('still.avif', 'AVIF', 'Website'),
  picture('camera-10-bit.avif', 'AVIF with 10 bits', 'Export of a photo program'),
  picture('turned.avif', 'AVIF that is turned by 90°', 'Photo converted for the web', PORTRAIT),
  picture('general-brand.avif', 'AVIF that names the brand of HEIF first', 'Older conversion programs'),
  picture('animated.avif', 'Animated AVIF of three frames', 'Converted GIF'),
];
