import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { PlacardError } from '@placard/client';
import type { Asset } from '@placard/client';
import type { Command } from 'commander';
import { warnOfContent } from '../folder/content-warnings.ts';
import { FILE_FAILURE_COLUMNS } from '../folder/file-failure.ts';
import { findAsset } from '../find.ts';
import { hashFile } from '../folder/media-files.ts';
import { syncFolder, upload } from '../folder/sync-folder.ts';
import type { SyncMemory, SyncResult } from '../folder/sync-folder.ts';
import { folderChanges } from '../folder/watch-folder.ts';
import { isFileError, printFailure, SomeFailed, UsageError } from '../output/failure.ts';
import type { OpenSession, Session } from '../session.ts';
import { splitList } from '../targets.ts';
import { CONTENT_COLUMNS } from './content.ts';

interface Options {
  into?: string;
  tags: string[];
  watch?: true;
  delete?: true;
  replace?: string;
}

export function addUploadCommand(program: Command, open: OpenSession): void {
  program
    .command('upload <paths...>')
    .description('upload files, or keep a folder of the cloud in step with a folder: by name and SHA-256')
    .option('--into <folder>', 'folder of the cloud, created if needed; default for a folder: its name')
    .option('--tags <a,b>', 'tags of what is uploaded', splitList, [])
    .option('--watch', 'of a folder: go on until interrupted, and follow its changes')
    .option('--delete', 'of a folder: also delete what is no longer in it (needs an Admin key)')
    .option(
      '--replace <content>',
      'of one file: put it in place of that of this content, which stays in its playlists',
    )
    .action(async (paths: string[], options: Options) => {
      const session = await open();
      const [first = ''] = paths;
      if (options.replace !== undefined) {
        return replaceFile(session, paths, options.replace, options);
      }
      const isFolder = await stat(first).then(
        (found) => found.isDirectory(),
        () => false,
      );
      if (isFolder) {
        if (paths.length > 1) {
          throw new UsageError('One folder at a time.');
        }
        return keepInStep(session, resolve(first), options);
      }
      if (options.watch || options.delete) {
        throw new UsageError(`${first} is no folder: --watch and --delete are for one.`);
      }
      await uploadFiles(session, paths, options);
    });
}

async function uploadFiles(session: Session, paths: string[], { into, tags }: Options): Promise<void> {
  const folderId = into === undefined ? undefined : await findOrCreateFolder(session, into);
  const assets: Asset[] = [];
  for (const path of paths) {
    assets.push(await upload(session, await readFile(session, path), { folderId, tags }));
  }
  session.out.list(assets, CONTENT_COLUMNS);
}

async function replaceFile(session: Session, paths: string[], text: string, options: Options): Promise<void> {
  const { into, tags, watch, delete: deletes } = options;
  const [path = '', ...more] = paths;
  if (more.length > 0 || tags.length > 0 || watch || deletes || into !== undefined) {
    throw new UsageError('--replace takes one file and no other option.');
  }
  const file = await readFile(session, path);
  const id = await findAsset(session.placard, text);
  const asset = await upload(session, file, { replaces: id });
  const warnings = await warnOfContent(session, id);
  session.out.done(`Replaced the file of ${asset.name} (${asset.id}).`, { ...asset, warnings });
}

async function readFile({ signal }: Session, path: string) {
  const sha256 = await hashFile(path, signal).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  return { name: basename(path), path, sha256 };
}

async function keepInStep(session: Session, folder: string, options: Options): Promise<void> {
  const { out, signal } = session;
  const folderId = await findOrCreateFolder(session, options.into ?? basename(folder));
  const settings = { folderId, tags: options.tags, deletes: options.delete === true };
  const memory: SyncMemory = { hashes: new Map(), refused: new Set() };
  const sync = () => syncFolder(session, folder, settings, memory);
  if (!options.watch) {
    return report(session, await sync());
  }
  out.note(`Watching ${folder}; Ctrl-C ends it.`);
  let hasReported = false;
  for await (const _look of folderChanges(folder, signal)) {
    try {
      const result = await sync();
      const { uploaded, replaced, renamed, deleted, failures } = result;
      if (!hasReported || uploaded + replaced + renamed + deleted + failures.length > 0) {
        hasReported = true;
        report(session, result);
      }
    } catch (error) {
      if (signal.aborted || !mayPass(error)) {
        throw error;
      }
      printFailure(error, out.json);
    }
  }
  signal.throwIfAborted();
}

/** A file that is no picture or just being replaced, or a cloud that is away: the next change or look tries again. */
const mayPass = (error: unknown): boolean =>
  error instanceof SomeFailed ||
  isFileError(error) ||
  (error instanceof PlacardError && error.status !== 401);

/** Says what was done. Throws, with what each of them says, when files failed. */
function report({ out }: Session, { failures, ...done }: SyncResult): void {
  const { uploaded, replaced, renamed, deleted, unchanged } = done;
  const failed = failures.length;
  out.line(
    `${uploaded} uploaded, ${replaced} replaced, ${renamed} renamed, ${deleted} deleted, ${unchanged} unchanged.`,
    { action: 'finished', ...done, failed },
  );
  if (failed > 0) {
    const total = uploaded + replaced + renamed + unchanged + failed;
    throw new SomeFailed(failures, FILE_FAILURE_COLUMNS, total);
  }
}

async function findOrCreateFolder({ placard, out, signal }: Session, text: string): Promise<string> {
  if (text.startsWith('folder_')) {
    return text;
  }
  for await (const folder of placard.folders.list({}, { signal })) {
    if (folder.name === text) {
      return folder.id;
    }
  }
  out.note(`Creating the folder ${text}.`);
  return (await placard.folders.create({ name: text }, { signal })).id;
}
