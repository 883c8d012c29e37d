import { openAsBlob } from 'node:fs';
import type { Asset } from '@placard/client';
import { uploadFile } from '@placard/client/uploads';
import { createProgress } from '../output/progress.ts';
import type { Session } from '../session.ts';
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
}

type HashedFile = MediaFile & { sha256: string };
/** Hashes of files by path, size and time, so that large files are read once. */
export type HashCache = Map<string, string>;

/** Makes a folder of the cloud have the files of a folder on this machine, and prints what it does. */
export async function syncFolder(
  session: Session,
  folder: string,
  { folderId, tags, deletes }: SyncOptions,
  hashes: HashCache,
): Promise<SyncResult> {
  const { placard, out, signal } = session;
  const files = await hashAll(await findMediaFiles(folder), hashes, signal);
  const remote = await placard.content.list({ folder_id: folderId }, { signal }).toArray();
  const plan = planSync(files, remote);
  const say = (action: string, name: string, asset: Pick<Asset, 'id'>) =>
    out.line(`${action.padEnd(9)} ${name}`, { action, name, id: asset.id });

  for (const file of plan.upload) {
    say('uploaded', file.name, await upload(session, file, folderId, tags));
  }
  for (const { file, old, current } of plan.replace) {
    const asset = current ?? (await upload(session, file, folderId, old[0]?.tags ?? tags));
    for (const { id, name } of old) {
      if (!(await replaceAsset(placard, { oldId: id, newId: asset.id }, signal))) {
        // Another name, so that the next run does not take it for the current file.
        await placard.content.update(id, { name: `${name} (old)`, folder_id: null }, { signal });
        out.note(`The old ${name} (${id}) is still there: only an Admin key may delete.`);
      }
    }
    say('replaced', file.name, asset);
  }
  for (const { file, old } of plan.rename) {
    say('renamed', file.name, await placard.content.update(old.id, { name: file.name }, { signal }));
  }
  let deleted = 0;
  for (const each of deletes ? plan.surplus : []) {
    if (await deleteAsset(placard, each.id, signal)) {
      deleted++;
      say('deleted', each.name, each);
    } else {
      out.note(`${each.name} (${each.id}) is still there: only an Admin key may delete.`);
    }
  }
  const { upload: uploaded, replace: replaced, rename: renamed, unchanged } = plan;
  return {
    uploaded: uploaded.length,
    replaced: replaced.length,
    renamed: renamed.length,
    deleted,
    unchanged,
  };
}

async function hashAll(files: MediaFile[], hashes: HashCache, signal: AbortSignal): Promise<HashedFile[]> {
  const hashed: HashedFile[] = [];
  for (const file of files) {
    const key = `${file.path}\n${file.size}\n${file.modifiedMs}`;
    const sha256 = hashes.get(key) ?? (await hashFile(file.path, signal));
    hashes.set(key, sha256);
    hashed.push({ ...file, sha256 });
  }
  return hashed;
}

/** Uploads one file, with a bar on a terminal. */
export async function upload(
  { placard, out, signal }: Session,
  { name, path, sha256 }: Pick<HashedFile, 'name' | 'path' | 'sha256'>,
  folderId: string | undefined,
  tags: readonly string[],
): Promise<Asset> {
  const progress = createProgress(name, out.json);
  try {
    return await uploadFile(placard, await openAsBlob(path), {
      name,
      tags,
      folderId,
      sha256,
      signal,
      onProgress: ({ sent, total }) => progress.update(sent, total),
    });
  } finally {
    progress.end();
  }
}
