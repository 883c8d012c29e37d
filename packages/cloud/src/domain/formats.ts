/** File formats that a screen can show: content type and file ending by sniffed name. */
export const FORMATS = {
  jpeg: { type: 'image', contentType: 'image/jpeg', ending: 'jpg' },
  png: { type: 'image', contentType: 'image/png', ending: 'png' },
  webp: { type: 'image', contentType: 'image/webp', ending: 'webp' },
  gif: { type: 'image', contentType: 'image/gif', ending: 'gif' },
  avif: { type: 'image', contentType: 'image/avif', ending: 'avif' },
  mp4: { type: 'video', contentType: 'video/mp4', ending: 'mp4' },
  mov: { type: 'video', contentType: 'video/quicktime', ending: 'mov' },
  webm: { type: 'video', contentType: 'video/webm', ending: 'webm' },
} as const satisfies Record<string, { type: 'image' | 'video'; contentType: string; ending: string }>;

export type Format = keyof typeof FORMATS;

/** Name of a blob on the content host: `<sha256>.<ending>`. */
export function blobName(sha256: string, format: Format): string {
  return `${sha256}.${FORMATS[format].ending}`;
}

/** The content type for a file ending, or null for one that we never made. */
export function contentTypeOf(ending: string): string | null {
  return Object.values(FORMATS).find((format) => format.ending === ending)?.contentType ?? null;
}
