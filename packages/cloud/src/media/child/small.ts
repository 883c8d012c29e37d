import type { Sharp } from 'sharp';

/** Pixels of the longer side. */
export const THUMBNAIL_PIXELS = 480;

/** The small picture of a picture. */
export const small = (picture: Sharp): Promise<Buffer> =>
  picture
    .resize(THUMBNAIL_PIXELS, THUMBNAIL_PIXELS, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .toBuffer();
