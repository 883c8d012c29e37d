import { join } from 'node:path';
import { openBlobStore } from '../blob/open-blob-store.ts';
import type { OpenBlobStore } from '../blob/open-blob-store.ts';
import { describeLocation } from '../blob/s3/s3-settings.ts';
import type { S3Settings } from '../blob/s3/s3-settings.ts';
import { describeFlags } from '../config/media-options.ts';
import { inspectDatabase, requireDatabase } from '../database/maintenance.ts';
import type { ReferencedBlob } from '../database/maintenance.ts';
import { lockDataFolder } from '../disk/data-folder-lock.ts';
import type { Clock } from '../domain/clock.ts';
import { formatBytes } from '../domain/disk-state.ts';
import { errorMessage } from '../domain/error-details.ts';
import { compareOwners, describeConflict, isConflict } from '../domain/media-owner.ts';
import { StartupError } from '../domain/startup-error.ts';
import { checkMedia, copyMedia } from './move-media.ts';
import type { MediaDeps, MediaResult } from './move-media.ts';
import { compareRows, copyRows } from './move-rows.ts';
import { openSource } from './move-source.ts';
import type { MoveSource, SourceState } from './move-source.ts';
import { openTarget } from './move-target.ts';
import type { MoveTarget } from './move-target.ts';
import { createProgress, describeDuration } from './progress.ts';
import { MOVED_TABLES } from './tables.ts';

/** Problems that are named; more are counted. */
const MAX_NAMED = 10;

export interface MoveOptions {
  dataDir: string;
  /** URL of an empty database on PostgreSQL, or of one to which the same move has begun. */
  to: string;
  /** The bucket that gets the media files; by default they stay where they are. */
  s3: S3Settings | undefined;
  /** Compare, and change nothing. */
  verifyOnly: boolean;
  /** Move although media files are missing or damaged in the source. */
  allowDamagedMedia: boolean;
  clock: Clock;
  /** Takes what the operator is to read, line by line. */
  report: (line: string) => void;
}

/**
 * Copies a stopped cloud on SQLite to PostgreSQL, and its media files to a bucket if there is one, and compares both. It
 * can be interrupted at any time; the next run continues. The source is not changed.
 */
export async function moveCloud(options: MoveOptions): Promise<void> {
  const { dataDir, to, s3, clock } = options;
  const file = requireDatabase(dataDir);
  const close: (() => void | Promise<void>)[] = [];
  try {
    const lock = lockDataFolder(dataDir);
    close.push(() => lock.release());
    const source = openSource(file);
    close.push(() => source.close());
    const target = await openTarget(to);
    close.push(() => target.close());
    const store = s3 ? await openBlobStore(join(dataDir, 'blobs'), { s3, clock }) : null;
    close.push(() => store?.bucket?.close());
    await move({ ...options, source, target, store });
  } catch (error) {
    if (error instanceof StartupError) {
      throw error;
    }
    throw new StartupError(
      `The move was interrupted: ${errorMessage(error)}\nWhat was copied stays. Start the same command again; it continues.`,
      error,
    );
  } finally {
    for (const each of close.toReversed()) {
      await each();
    }
  }
}

interface Parts extends MoveOptions {
  source: MoveSource;
  target: MoveTarget;
  store: OpenBlobStore | null;
}

async function move(parts: Parts): Promise<void> {
  const { dataDir, s3, clock, report, source, target, store, verifyOnly } = parts;
  const progress = createProgress(clock, report);
  const state = source.state();
  const location = s3 ? ` and ${describeLocation(s3)}` : '';
  report(`From      ${dataDir}: ${JSON.stringify(source.organizationName)}`);
  report(`To        ${target.place}${location}`);
  await requireFreeStore(parts);
  await (verifyOnly ? target.requireFinished(state) : target.begin(state, clock.nowMs()));
  const media = { blobsDir: join(dataDir, 'blobs'), files: readFiles(dataDir), progress };

  let damaged = new Set<string>();
  if (!verifyOnly) {
    damaged = await handleMedia(parts, media);
    const startMs = clock.nowMs();
    const { total, copied } = await copyRows({ source, target, progress });
    report(`Rows      ${total}, ${copied} of them copied now (${describeDuration(clock.nowMs() - startMs)})`);
    await target.analyze();
  }

  const startMs = clock.nowMs();
  const { rows, replaced } = await compareRows({ source, target, progress });
  let checked = `${rows} rows in ${MOVED_TABLES.size} tables`;
  if (store || verifyOnly) {
    const files = media.files.filter(({ sha256 }) => !damaged.has(sha256));
    const found = await checkMedia(store?.blobs ?? null, { ...media, files });
    requireIntact(found, s3 ? describeLocation(s3) : media.blobsDir);
    checked += ` and ${found.files} media files`;
  }
  requireUnchanged(source, state);
  report(`Equal     ${checked} (${describeDuration(clock.nowMs() - startMs)})`);
  for (const sentence of replaced) {
    report(`Note      ${sentence}`);
  }
  if (!verifyOnly) {
    const { id, turn } = source.mediaOwner;
    if (store && id !== null) {
      await store.ownerFile.write({ id, turn, organization: source.organizationName });
    }
    await target.finish(source.lastCounted);
    reportNextSteps(parts);
  }
}

/** The bucket may be the one to which this move has begun, not that of another cloud. */
async function requireFreeStore({ dataDir, source, store }: Parts): Promise<void> {
  const stored = (await store?.ownerFile.read()) ?? null;
  const ownership = compareOwners(source.mediaOwner, stored);
  if (store && stored && isConflict(ownership)) {
    const { location } = store.ownerFile;
    throw new StartupError(
      describeConflict(ownership, { database: requireDatabase(dataDir), location, stored }),
    );
  }
}

/** Each file once: assets with the same bytes share it. */
function readFiles(dataDir: string): ReferencedBlob[] {
  const { problems, blobs } = inspectDatabase(requireDatabase(dataDir));
  if (problems.length > 0) {
    throw new StartupError(
      `The database in ${dataDir} is damaged: ${problems.join('; ')}. Restore a backup, then move that.`,
    );
  }
  return [...new Map(blobs.map((blob) => [blob.sha256, blob])).values()];
}

/** Copies the files, or reads those that stay. Returns the hashes of those that are damaged in the source. */
async function handleMedia(parts: Parts, media: MediaDeps): Promise<Set<string>> {
  const { store, report, allowDamagedMedia, clock } = parts;
  const startMs = clock.nowMs();
  const result = store ? await copyMedia(store.blobs, media) : await checkMedia(null, media);
  const sentences = describeProblems(result);
  if (result.problems.length > 0 && !allowDamagedMedia) {
    throw new StartupError(
      `${sentences.join('\n')}\nStart the cloud once more without --database, upload these files again or delete them there, ` +
        'stop it, and start the move again. Or add --allow-damaged-media, and upload them again after the move.',
    );
  }
  const what = store ? `${result.copied} of them copied now` : 'they stay where they are';
  report(
    `Media     ${result.files} files with ${formatBytes(result.bytes)}, ${what} (${describeDuration(clock.nowMs() - startMs)})`,
  );
  for (const sentence of sentences) {
    report(`Note      ${sentence}`);
  }
  return new Set(result.problems.map(({ file }) => file.sha256));
}

function describeProblems({ problems }: MediaResult): string[] {
  const named = problems.slice(0, MAX_NAMED).map(({ file: { sha256, asset, isThumbnail }, fault }) => {
    const what = isThumbnail ? 'The thumbnail' : 'The file';
    return `${what} ${sha256} of ${JSON.stringify(asset)} is ${fault}.`;
  });
  const more = problems.length - named.length;
  return more > 0 ? [...named, `${more} more media files are missing or damaged.`] : named;
}

function requireIntact(result: MediaResult, location: string): void {
  if (result.problems.length > 0) {
    throw new StartupError(
      `${describeProblems(result).join('\n')}\nDelete what is stored under these hashes in ${location}, and start the ` +
        'command again.',
    );
  }
}

/** The commands for keys work beside this one. */
function requireUnchanged(source: MoveSource, state: SourceState): void {
  if (JSON.stringify(source.state()) !== JSON.stringify(state)) {
    throw new StartupError(
      'The cloud was changed while it was moved, for example by a command for keys. Drop the new database, create it ' +
        'again, and start the move again; media files that were copied stay.',
    );
  }
}

function reportNextSteps({ dataDir, s3, report, target }: Parts): void {
  const database = target.place.replace('//', '//USER:PASSWORD@');
  const flags = [`--database ${database}`, ...(s3 ? describeFlags(s3) : [])];
  report('Done.     Start the cloud as before, with the same --data and --public-url, and add:');
  report(`            ${flags.join(' ')}`);
  report(
    '          The URL of the database may be in PLACARD_DATABASE instead, where other users cannot see it.',
  );
  report(
    `          ${join(dataDir, 'cloud.sqlite')} was not changed, and is not used any more. Do not start a cloud`,
  );
  report(
    '          on it again: screens would get old data. Delete it when you have a backup of the new database.',
  );
}
