import type { Sharp } from 'sharp';

/** Pixels of the longer side. */
export const THUMBNAIL_PIXELS = 480;

export const makeThumbnail = (picture: Sharp): Promise<Buffer> =>
  picture
    .resize(THUMBNAIL_PIXELS, THUMBNAIL_PIXELS, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .toBuffer();
