import { openAsBlob } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Asset } from '@placard/client';
import { uploadFile } from '@placard/client/uploads';
import type { UploadOptions } from '@placard/client/uploads';
import { errorFields } from '../output/failure.ts';
import { createProgress } from '../output/progress.ts';
import type { Session } from '../session.ts';
import { warnOfContent } from './content-warnings.ts';
import { concernsOneFile, isRefused } from './file-failure.ts';
import type { FileFailure } from './file-failure.ts';
import { findMediaFiles, hashFile } from './media-files.ts';
import type { MediaFile } from './media-files.ts';
import { planSync } from './plan-sync.ts';
import { deleteAsset, replaceAsset } from './replace-asset.ts';

export interface SyncOptions {
  folderId: string;
  tags: readonly string[];
  /** Also delete what is no longer on this machine. */
  deletes: boolean;
}

export interface SyncResult {
  uploaded: number;
  replaced: number;
  renamed: number;
  deleted: number;
  unchanged: number;
  failures: FileFailure[];
}

type HashedFile = MediaFile & { sha256: string };

/** What a sync knows of files from those before it, by path, size and time. */
export interface SyncMemory {
  /** Large files are read once. */
  hashes: Map<string, string>;
  /** What the cloud does not take is sent once. */
  refused: Set<string>;
}

/**
 * Makes a folder of the cloud have the files of a folder on this machine, and prints what it does. A file that cannot be read,
 * or that the cloud refuses, stays there as it is and does not keep the others back.
 */
export async function syncFolder(
  session: Session,
  folder: string,
  { folderId, tags, deletes }: SyncOptions,
  { hashes, refused }: SyncMemory,
): Promise<SyncResult> {
  const { placard, out, signal } = session;
  const done = { uploaded: 0, replaced: 0, renamed: 0, deleted: 0 };
  const failures: FileFailure[] = [];
  const refusedNow: MediaFile[] = [];
  const say = (action: keyof typeof done, { name, id }: { name: string; id: string }, more: object = {}) => {
    done[action]++;
    out.line(`${action.padEnd(9)} ${name}`, { action, name, id, ...more });
  };
  const forFile = async (file: MediaFile, act: () => Promise<unknown>) => {
    try {
      await act();
    } catch (error) {
      if (signal.aborted || !concernsOneFile(error)) {
        throw error;
      }
      failures.push({ name: file.name, error: errorFields(error) });
      if (isRefused(error)) {
        refusedNow.push(file);
      }
    }
  };

  const found = await findMediaFiles(folder);
  const files: HashedFile[] = [];
  for (const file of found.filter((each) => !refused.has(keyOf(each)))) {
    await forFile(file, async () => files.push({ ...file, sha256: await readHash(file, hashes, signal) }));
  }
  const leftOut = new Set(found.map(({ name }) => name));
  files.forEach(({ name }) => leftOut.delete(name));
  const remote = await placard.content.list({ folder_id: folderId }, { signal }).toArray();
  const plan = planSync(
    files,
    remote.filter(({ name }) => !leftOut.has(name)),
  );

  for (const file of plan.upload) {
    await forFile(file, async () => say('uploaded', await upload(session, file, { folderId, tags })));
  }
  for (const { file, old, current } of plan.replace) {
    await forFile(file, async () => {
      const asset = current ?? (await upload(session, file, { folderId, tags: old[0]?.tags ?? tags }));
      for (const { id, name } of old) {
        if (!(await replaceAsset(placard, { oldId: id, newId: asset.id }, signal))) {
          // Another name, so that the next run does not take it for the current file.
          await placard.content.update(id, { name: `${name} (old)`, folder_id: null }, { signal });
          out.note(`The old ${name} (${id}) is still there: only an Admin key may delete.`);
        }
      }
      say('replaced', asset, { warnings: await warnOfContent(session, asset.id) });
    });
  }
  for (const { file, old } of plan.rename) {
    await forFile(file, async () =>
      say('renamed', await placard.content.update(old.id, { name: file.name }, { signal })),
    );
  }
  for (const each of deletes ? plan.surplus : []) {
    if (await deleteAsset(placard, each.id, signal)) {
      say('deleted', each);
    } else {
      out.note(`${each.name} (${each.id}) is still there: only an Admin key may delete.`);
    }
  }
  // Not before they are reported, which a sync that breaks off does not.
  refusedNow.forEach((file) => refused.add(keyOf(file)));
  return { ...done, unchanged: plan.unchanged, failures };
}

const keyOf = ({ path, size, modifiedMs }: MediaFile): string => `${path}\n${size}\n${modifiedMs}`;

async function readHash(file: MediaFile, hashes: SyncMemory['hashes'], signal: AbortSignal): Promise<string> {
  const key = keyOf(file);
  const sha256 = hashes.get(key) ?? (await hashFile(file.path, signal));
  hashes.set(key, sha256);
  return sha256;
}

/** Uploads one file, with a bar on a terminal. */
export async function upload(
  { placard, out, signal }: Session,
  { name, path, sha256 }: Pick<HashedFile, 'name' | 'path' | 'sha256'>,
  place: Pick<UploadOptions, 'folderId' | 'tags' | 'replaces'>,
): Promise<Asset> {
  // `openAsBlob` does not say of a file that it is gone.
  await access(path);
  const progress = createProgress(name, out.json);
  try {
    return await uploadFile(placard, await openAsBlob(path), {
      // A file that is replaced keeps its name.
      name: place.replaces === undefined ? name : undefined,
      ...place,
      sha256,
      signal,
      onProgress: ({ sent, total }) => progress.update(sent, total),
    });
  } finally {
    progress.end();
  }
}
