import type { Asset } from '@placard/client';
import { PlacardError } from '@placard/client';
import { uploadFile } from '@placard/client/uploads';
import { useSyncExternalStore } from 'react';
import { placard } from '../api/placard.ts';
import { forgetUpload, knownUpload, rememberUpload } from './unfinished-uploads.ts';

/** Where a file goes: to a folder, or in place of that of an asset. */
export interface Destination {
  readonly folderId?: string | undefined;
  readonly replaces?: { readonly id: string; readonly name: string } | undefined;
}

/** One file on its way. It goes on when the person looks at another page of the console. */
export interface QueuedUpload extends Destination {
  readonly key: number;
  readonly file: File;
  readonly state: 'waiting' | 'uploading' | 'preparing' | 'ready' | 'failed' | 'paused';
  /** Bytes that have arrived. */
  readonly sent: number;
  readonly asset: Asset | null;
  readonly error: unknown;
}

/** More do not make a line faster, and each is checked by the cloud when it has arrived. */
const AT_ONCE = 2;
/** Small enough that the progress of a slow line is seen to move. */
const CHUNK_BYTES = 1024 * 1024;

let uploads: readonly QueuedUpload[] = [];
let nextKey = 1;
const running = new Map<number, AbortController>();
const listeners = new Set<() => void>();

function publish(next: readonly QueuedUpload[]): void {
  uploads = next;
  for (const listener of listeners) {
    listener();
  }
}

const change = (key: number, changed: Partial<QueuedUpload>): void =>
  publish(uploads.map((each) => (each.key === key ? { ...each, ...changed } : each)));

export const useUploads = (): readonly QueuedUpload[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => uploads,
  );

/** Adds files to the end of the queue, except those that are in it. */
export function enqueueUploads(files: readonly File[], destination: Destination): void {
  const added = files
    .filter((file) => findUnfinished(file, destination) === undefined)
    .map((file): QueuedUpload => {
      const known = { file, ...destination, state: 'waiting', sent: 0, asset: null, error: null } as const;
      return { key: nextKey++, ...known };
    });
  publish([...uploads, ...added]);
  startWaiting();
}

/** Adds a file that replaces that of an asset, and gives up others that were to do so. The same file continues. */
export function enqueueReplacement(file: File, replaces: NonNullable<Destination['replaces']>): void {
  const same = findUnfinished(file, { replaces });
  for (const each of uploads) {
    if (each.replaces?.id === replaces.id && each !== same) {
      cancelUpload(each.key);
    }
  }
  if (same?.state === 'paused' || same?.state === 'failed') {
    resumeUpload(same.key);
  }
  enqueueUploads([file], { replaces });
}

/** The same file of a disk on its way to the same place. */
const findUnfinished = (file: File, destination: Destination): QueuedUpload | undefined =>
  uploads.find(
    (each) =>
      each.state !== 'ready' &&
      placeOf(each) === placeOf(destination) &&
      each.file.name === file.name &&
      each.file.size === file.size &&
      each.file.lastModified === file.lastModified,
  );

/** The id of the asset or folder. */
const placeOf = ({ folderId, replaces }: Destination): string | undefined => replaces?.id ?? folderId;

export function pauseUpload(key: number): void {
  change(key, { state: 'paused' });
  stop(key);
}

/** Also tries a failed one again. */
export function resumeUpload(key: number): void {
  change(key, { state: 'waiting', error: null });
  startWaiting();
}

/** Gives an upload up, here and in the cloud. */
export function cancelUpload(key: number): void {
  const upload = uploads.find((each) => each.key === key);
  publish(uploads.filter((each) => each.key !== key));
  stop(key);
  const id = upload && knownUpload(upload.file, placeOf(upload));
  if (upload && id !== undefined) {
    forgetUpload(upload.file, placeOf(upload));
    // What cannot be deleted now expires by itself.
    placard.request('DELETE /v1/content/uploads/{id}', { path: { id } }).catch(() => {});
  }
}

/** Removes what has ended from the list. */
export const clearFinishedUploads = (): void =>
  publish(uploads.filter(({ state }) => state !== 'ready' && state !== 'failed'));

function stop(key: number): void {
  running.get(key)?.abort();
  running.delete(key);
  startWaiting();
}

function startWaiting(): void {
  for (const upload of uploads) {
    if (running.size >= AT_ONCE) {
      return;
    }
    if (upload.state === 'waiting' && !running.has(upload.key)) {
      void run(upload);
    }
  }
}

async function run(upload: QueuedUpload): Promise<void> {
  const { key, file } = upload;
  const controller = new AbortController();
  running.set(key, controller);
  change(key, { state: 'uploading' });
  try {
    const asset = await sendFile(upload, controller.signal, (sent) => {
      if (!controller.signal.aborted) {
        change(key, { sent, state: sent < file.size ? 'uploading' : 'preparing' });
      }
    });
    forgetUpload(file, placeOf(upload));
    change(key, { state: 'ready', asset, sent: file.size });
  } catch (error) {
    if (controller.signal.aborted) {
      return;
    }
    // What the cloud refuses it refuses again; after a broken line it continues.
    if (error instanceof PlacardError && error.status !== 0) {
      forgetUpload(file, placeOf(upload));
    }
    change(key, { state: 'failed', error });
  } finally {
    if (running.get(key) === controller) {
      running.delete(key);
    }
    startWaiting();
  }
}

/** Continues what an earlier page has begun, if the cloud still has it. */
async function sendFile(
  { file, ...destination }: QueuedUpload,
  signal: AbortSignal,
  onSent: (sent: number) => void,
): Promise<Asset> {
  const place = placeOf(destination);
  const options = {
    folderId: destination.folderId,
    replaces: destination.replaces?.id,
    signal,
    chunkBytes: CHUNK_BYTES,
    onStart: (id: string) => rememberUpload(file, place, id),
    onProgress: ({ sent }: { sent: number }) => onSent(sent),
  };
  const uploadId = knownUpload(file, place);
  if (uploadId !== undefined) {
    try {
      return await uploadFile(placard, file, { ...options, uploadId });
    } catch (error) {
      if (!(error instanceof PlacardError && (error.status === 404 || error.status === 410))) {
        throw error;
      }
      forgetUpload(file, place);
    }
  }
  return uploadFile(placard, file, options);
}
