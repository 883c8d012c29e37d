/** Supported file formats: media type, content type and file extension by format name. */
export const MEDIA_FORMATS = {
  jpeg: { type: 'image', contentType: 'image/jpeg', ending: 'jpg' },
  png: { type: 'image', contentType: 'image/png', ending: 'png' },
  webp: { type: 'image', contentType: 'image/webp', ending: 'webp' },
  gif: { type: 'image', contentType: 'image/gif', ending: 'gif' },
  avif: { type: 'image', contentType: 'image/avif', ending: 'avif' },
  mp4: { type: 'video', contentType: 'video/mp4', ending: 'mp4' },
  mov: { type: 'video', contentType: 'video/quicktime', ending: 'mov' },
  webm: { type: 'video', contentType: 'video/webm', ending: 'webm' },
} as const satisfies Record<string, { type: 'image' | 'video'; contentType: string; ending: string }>;

export type MediaFormat = keyof typeof MEDIA_FORMATS;

/** Name of a blob on the content host: `<sha256>.<ending>`. */
export function blobName(sha256: string, format: MediaFormat): string {
  return `${sha256}.${MEDIA_FORMATS[format].ending}`;
}

/** The content type for a file extension, or null for an unsupported one. */
export function contentTypeOfExtension(extension: string): string | null {
  return Object.values(MEDIA_FORMATS).find((format) => format.ending === extension)?.contentType ?? null;
}
