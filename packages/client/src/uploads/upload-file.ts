import type { PlacardClient } from '../client.ts';
import { PlacardError } from '../placard-error.ts';
import type { Asset } from '../resources.generated.ts';
import { backOff } from '../retry.ts';
import type { Result } from '../types.ts';
import { wait } from '../wait.ts';

export interface UploadOptions {
  /** Default: the name of the file; of an asset that is replaced, the one that it has. */
  name?: string | undefined;
  tags?: readonly string[] | undefined;
  folderId?: string | undefined;
  /** The id of an asset whose file this one replaces. What is not given stays. */
  replaces?: string | undefined;
  /** SHA-256 of the file, hexadecimal: what arrives as another file is refused. */
  sha256?: string | undefined;
  /** Called when more bytes have arrived. */
  onProgress?: ((progress: { sent: number; total: number }) => void) | undefined;
  /** Called with the id of the upload, with which a later program can continue it. */
  onStart?: ((uploadId: string) => void) | undefined;
  /** Continues this upload of the same file. */
  uploadId?: string | undefined;
  /** Bytes of each request. Default 8 MiB; less on a line that breaks often. */
  chunkBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}

const CHUNK_BYTES = 8 * 1024 * 1024;
const LONGEST_DELAY_MS = 30_000;
/** Failures in a row in which not one byte arrived. */
const MOST_FAILURES = 12;
const TUS = { 'tus-resumable': '1.0.0' };
const ONE = '/v1/content/uploads/{id}';

/**
 * Uploads a file in parts, and continues where it was when the line breaks (tus 1.0). The asset is the same as that of
 * `content.upload`, or of `content.replace`. Throws when the cloud refuses the file, or when a line stays broken for minutes.
 */
export async function uploadFile(
  placard: PlacardClient,
  file: Blob,
  options: UploadOptions = {},
): Promise<Asset> {
  const { signal, chunkBytes = CHUNK_BYTES } = options;
  const report = (sent: number) => options.onProgress?.({ sent, total: file.size });
  const id = options.uploadId ?? (await begin(placard, file, options));
  if (id === null) {
    return sendAtOnce(placard, file, options);
  }
  options.onStart?.(id);
  let offset = options.uploadId === undefined ? 0 : await readOffset(placard, id, signal);
  let failures = 0;
  report(offset);
  while (offset < file.size) {
    try {
      const part = file.slice(offset, offset + chunkBytes);
      const { headers } = await placard.request(`PATCH ${ONE}`, {
        path: { id },
        body: part,
        headers: {
          ...TUS,
          'upload-offset': String(offset),
          'content-type': 'application/offset+octet-stream',
        },
        retries: 0,
        signal,
      });
      offset = Number(headers.get('upload-offset'));
      failures = 0;
    } catch (error) {
      const reached = await continueAfter(error, placard, id, failures, signal);
      failures = reached > offset ? 0 : failures + 1;
      offset = reached;
    }
    report(offset);
  }
  return waitForAsset(placard, id, signal);
}

/** The id of a new upload; null when the cloud has none that can be resumed, or that can replace a file. */
async function begin(placard: PlacardClient, file: Blob, options: UploadOptions): Promise<string | null> {
  const { replaces, tags, folderId, sha256, signal } = options;
  const fields = {
    filename: nameOf(file),
    name: newNameOf(file, options),
    tags: tags?.join(','),
    folder_id: folderId,
    replaces,
    sha256,
  };
  const headers = {
    ...TUS,
    'upload-length': String(file.size),
    'upload-metadata': Object.entries(fields)
      .flatMap(([key, value]) => (value ? [`${key} ${encodeBase64(value)}`] : []))
      .join(','),
  };
  try {
    const begun = uploadOf(await placard.request('POST /v1/content/uploads', { headers, signal }));
    // An older cloud passes over what it does not know, and would make another asset.
    return replaces === undefined || begun.replaces === replaces ? begun.id : null;
  } catch (error) {
    if (
      error instanceof PlacardError &&
      ['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED'].includes(String(error.code))
    ) {
      return null;
    }
    throw error;
  }
}

/** For clouds that have no resumable uploads, or none that replaces a file. */
async function sendAtOnce(placard: PlacardClient, file: Blob, options: UploadOptions): Promise<Asset> {
  const { tags, folderId, replaces, onProgress, signal } = options;
  const name = newNameOf(file, options);
  const body = {
    file,
    ...(name !== undefined && { name }),
    ...(tags && tags.length > 0 && { tags: tags.join(',') }),
    ...(folderId !== undefined && { folder_id: folderId }),
  };
  const asset = await (replaces === undefined
    ? placard.content.upload(body, { signal })
    : placard.content.replace(replaces, body, { signal }));
  onProgress?.({ sent: file.size, total: file.size });
  return asset;
}

/** Where the upload goes on after a failure; throws the failure when it does not. */
async function continueAfter(
  error: unknown,
  placard: PlacardClient,
  id: string,
  failures: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const isTemporary =
    error instanceof PlacardError &&
    // 409: the cloud is at another offset, because a response was lost.
    (error.status === 0 ||
      error.status === 409 ||
      error.status === 429 ||
      (error.status >= 500 && error.status !== 507));
  if (!isTemporary || failures >= MOST_FAILURES) {
    throw error;
  }
  await wait(error.retryAfterMs ?? backOff(failures, Math.random(), LONGEST_DELAY_MS), signal);
  try {
    return await readOffset(placard, id, signal);
  } catch (another) {
    if (another instanceof PlacardError && another.status === 410 && error.status === 409) {
      // The file was refused: it was not about the offset.
      throw error;
    }
    if (
      another instanceof PlacardError &&
      another.status !== 0 &&
      another.status < 500 &&
      another.status !== 429
    ) {
      throw another;
    }
    return continueAfter(another, placard, id, failures + 1, signal);
  }
}

/** How much has arrived. `HEAD` also ends a request that hangs. */
async function readOffset(
  placard: PlacardClient,
  id: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { headers } = await placard.request(`HEAD ${ONE}`, { path: { id }, headers: TUS, signal });
  return Number(headers.get('upload-offset'));
}

/** Waits until the cloud has checked the file. */
async function waitForAsset(
  placard: PlacardClient,
  id: string,
  signal: AbortSignal | undefined,
): Promise<Asset> {
  for (let looks = 0; ; looks++) {
    const { asset, state, error } = uploadOf(await placard.request(`GET ${ONE}`, { path: { id }, signal }));
    if (asset) {
      return asset;
    }
    if (state === 'failed' || state === 'finished') {
      throw new PlacardError({
        code: error?.code ?? 'CONTENT_NOT_FOUND',
        status: 415,
        message: error?.message ?? 'The file was deleted as soon as it had arrived.',
        details: error?.details,
      });
    }
    await wait(backOff(looks, Math.random()), signal);
  }
}

/** What an upload says of itself. */
interface Upload {
  id: string;
  state: string;
  replaces?: string | null;
  asset?: Asset | null;
  error: { code: string; message: string; details?: unknown } | null;
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const uploadOf = ({ data }: Result): Upload => data as Upload;

const nameOf = (file: Blob): string => ('name' in file && typeof file.name === 'string' ? file.name : 'file');

const newNameOf = (file: Blob, { name, replaces }: UploadOptions): string | undefined =>
  name ?? (replaces === undefined ? nameOf(file) : undefined);

/** Base64 of the text in UTF-8. */
const encodeBase64 = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''));
