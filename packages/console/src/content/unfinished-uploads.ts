const STORED = 'placard.uploads';
/** The cloud keeps an upload for a day after its last bytes. */
const KEEP_MS = 24 * 60 * 60_000;
const MOST = 200;

type Known = Record<string, [uploadId: string, atMs: number]>;

/** The same file of a disk has the same name, size and time, also after a reload of the page. */
const keyOf = (file: File, place: string | undefined): string =>
  `${place ?? ''}|${file.size}|${file.lastModified}|${file.name}`;

function read(): Known {
  const known: Known = {};
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? '{}');
    for (const [key, value] of Object.entries(stored ?? {})) {
      const [id, atMs]: unknown[] = Array.isArray(value) ? value : [];
      if (typeof id === 'string' && typeof atMs === 'number' && atMs > Date.now() - KEEP_MS) {
        known[key] = [id, atMs];
      }
    }
  } catch {
    // Written by something else.
  }
  return known;
}

const write = (known: Known): void =>
  localStorage.setItem(STORED, JSON.stringify(Object.fromEntries(Object.entries(known).slice(-MOST))));

/** The id of the upload that was begun with this file, for that folder or asset, and has not ended. */
export const knownUpload = (file: File, place: string | undefined): string | undefined =>
  read()[keyOf(file, place)]?.[0];

export const rememberUpload = (file: File, place: string | undefined, uploadId: string): void =>
  write({ ...read(), [keyOf(file, place)]: [uploadId, Date.now()] });

export function forgetUpload(file: File, place: string | undefined): void {
  const { [keyOf(file, place)]: _, ...rest } = read();
  write(rest);
}
