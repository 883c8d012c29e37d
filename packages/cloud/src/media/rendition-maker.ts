import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MAX_FILE_BYTES, RENDITION_KINDS } from '@placard/protocol/api';
import type { RenditionKind } from '@placard/protocol/api';
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import type { DiskState } from '../domain/disk-state.ts';
import type { MediaInfo } from './inspection-messages.ts';
import type { MediaInspector } from './inspector.ts';
import { isPartName } from './rendition-files.ts';
import { startRenditionProcess } from './rendition-process.ts';
import type { RenditionLimits, RenditionOutcome } from './rendition-process.ts';

/** A video may take so many times its duration, at the low priority that it has. */
const DEADLINE_DURATIONS = 60;
const LEAST_DEADLINE_MS = 5 * 60_000;
const MOST_DEADLINE_MS = 12 * 3_600_000;
/** The cloud inspects uploads at 5: on a busy machine 3 % of a core are left. */
export const NICER = 15;
const MEMORY_BYTES = 2 * 2 ** 30;
/** Why none was made, when that is no failure of the file: another attempt goes on with what is there. */
export const GOING_ON: ReadonlySet<string> = new Set(['not_written', 'unfinished', 'no_encoder']);
/** Containers round times. */
const ROUNDING_SECONDS = 0.002;
/** Frames per second of a video that does not tell them. */
const USUAL_FRAME_RATE = 30;

/** What is made of which file. */
export interface RenditionWork {
  kind: RenditionKind;
  /** Hash of the original. */
  sha256: string;
}

export interface RenditionTask extends RenditionWork {
  /** Path of the original. */
  from: string;
  /** Seconds; null for a picture. */
  durationSeconds: number | null;
  /** Of the original; null for a picture, and when the file does not tell. */
  frameRate: number | null;
}

/** A file that was made, with what an inspection has found in it. */
export interface MadeRendition {
  path: string;
  info: MediaInfo;
  /**
   * Ends the use of the file. Once it is stored elsewhere, it is deleted with all that it was made of; otherwise another attempt
   * takes little time.
   */
  release: (isStored: boolean) => Promise<void>;
}

/** Why none was made. Reasons never change their meaning. */
export interface FailedRendition {
  reason: string;
  message: string;
}

export interface RenditionMaker {
  /**
   * Makes one rendition in a process of its own, and inspects it; null when the signal has ended it. A video goes on after the
   * parts that are there, also when the cloud was killed; `onPart` is called after each other one. What is there is deleted when
   * the file has failed.
   */
  make(
    task: RenditionTask,
    signal: AbortSignal,
    onPart?: () => void,
  ): Promise<MadeRendition | FailedRendition | null>;
  /** Those of which parts are there, and which are not in use. */
  listUnfinished(): Promise<RenditionWork[]>;
  /** Deletes what there is of it, unless it is in use. */
  forget(work: RenditionWork): Promise<void>;
}

export interface RenditionMakerOptions {
  clock: Clock;
  log: Logger;
  /** Folder of the originals. */
  mediaDir: string;
  inspector: Pick<MediaInspector, 'inspect'>;
  useDecoder: boolean;
  disk: { status: () => { state: DiskState } };
  limits?: Partial<RenditionLimits> & { maxBytes?: number };
}

export async function createRenditionMaker(options: RenditionMakerOptions): Promise<RenditionMaker> {
  const { clock, log, inspector, useDecoder, disk } = options;
  const mediaDir = resolve(options.mediaDir);
  const dir = join(mediaDir, 'renditions');
  /** The folder that is in use. */
  let current: string | null = null;
  /** The last deletion that was begun. */
  let removal: Promise<void> = Promise.resolve();
  for (const name of await readdir(dir).catch(() => [])) {
    if (!toWork(name)) {
      await rm(join(dir, name), { recursive: true, force: true });
    }
  }

  const convert = async (
    task: RenditionTask,
    to: string,
    signal: AbortSignal,
    onPart: () => void,
  ): Promise<RenditionOutcome> => {
    const { maxBytes = MAX_FILE_BYTES, ...limits } = options.limits ?? {};
    const running = startRenditionProcess(
      { kind: task.kind, from: resolve(task.from), to, maxBytes },
      {
        clock,
        mediaDir,
        useDecoder,
        hasSpace: () => disk.status().state === 'ok',
        onPart,
        limits: {
          deadlineMs: Math.min(
            MOST_DEADLINE_MS,
            Math.max(LEAST_DEADLINE_MS, (task.durationSeconds ?? 0) * 1000 * DEADLINE_DURATIONS),
          ),
          memoryBytes: MEMORY_BYTES,
          nicer: NICER,
          ...limits,
        },
      },
    );
    signal.addEventListener('abort', running.stop, { once: true });
    if (signal.aborted) {
      running.stop();
    }
    try {
      return await running.outcome;
    } finally {
      signal.removeEventListener('abort', running.stop);
    }
  };

  const attempt = async (
    task: RenditionTask,
    folder: string,
    signal: AbortSignal,
    onPart: () => void,
  ): Promise<Omit<MadeRendition, 'release'> | FailedRendition | null> => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const parts = await keepParts(folder);
    if (parts > 0) {
      log.info({ kind: task.kind, source: task.sha256, parts }, 'rendition.continued');
    }
    // Not the name that a process of before may be writing to while it ends.
    const path = join(folder, randomUUID());
    let hasPart = false;
    const outcome = await convert(task, path, signal, () => {
      hasPart = true;
      onPart();
    });
    if (signal.aborted) {
      return null;
    }
    if (outcome.type === 'failed') {
      return outcome;
    }
    if (outcome.type === 'ended') {
      const { reason, stderrTail: stderr } = outcome;
      log.warn({ reason, kind: task.kind, stderr }, 'rendition.process_ended');
      // The system may have killed it for want of memory. The next one gets further, or fails without a part.
      const isUnfinished =
        reason === 'no_space' || (hasPart && (reason === 'crashed' || reason === 'too_slow'));
      return { reason: isUnfinished ? 'unfinished' : reason, message: MESSAGES[reason] };
    }
    const info = await inspector.inspect(path, 'renditions');
    if ('reason' in info) {
      return { reason: 'crashed', message: `The copy that was made cannot be read: ${info.message}` };
    }
    if (!isSameDuration(task, info)) {
      return {
        reason: 'wrong_duration',
        message: `The copy that was made takes ${info.durationSeconds} s instead of ${task.durationSeconds} s.`,
      };
    }
    return { path, info };
  };

  const remove = (name: string) => rm(join(dir, name), { recursive: true, force: true });

  return {
    async make(task, signal, onPart = () => {}) {
      const name = folderName(task);
      current = name;
      await removal;
      let isInUse = false;
      try {
        const result = await attempt(task, join(dir, name), signal, onPart);
        if (result && 'path' in result) {
          isInUse = true;
          const release = async (isStored: boolean) => {
            if (isStored) {
              await remove(name);
            }
            current = null;
          };
          return { ...result, release };
        }
        if (result && !GOING_ON.has(result.reason)) {
          await remove(name);
        }
        return result;
      } finally {
        if (!isInUse) {
          current = null;
        }
      }
    },
    async listUnfinished() {
      const names = await readdir(dir).catch(() => []);
      return names.flatMap((name) => (name === current ? [] : (toWork(name) ?? [])));
    },
    async forget(work) {
      const name = folderName(work);
      // It may have been begun since it was listed.
      if (name !== current) {
        const removing = remove(name);
        removal = removing.catch(() => {});
        await removing;
      }
    },
  };
}

const folderName = ({ kind, sha256 }: RenditionWork): string => `${kind}-${sha256}`;

/** What a folder is of; null of what an earlier version has left. */
function toWork(name: string): RenditionWork | null {
  const [text, sha256] = name.split('-');
  const kind = RENDITION_KINDS.find((each) => each === text);
  return kind && sha256 !== undefined && folderName({ kind, sha256 }) === name ? { kind, sha256 } : null;
}

/** Deletes what is not a whole part. Returns how many parts there are. */
async function keepParts(folder: string): Promise<number> {
  const names = await readdir(folder);
  const others = names.filter((name) => !isPartName(name));
  await Promise.all(others.map((name) => rm(join(folder, name), { recursive: true, force: true })));
  return names.length - others.length;
}

/** Whether both end with the same frame; not every original tells how long that one is shown. */
function isSameDuration({ durationSeconds, frameRate }: RenditionTask, info: MediaInfo): boolean {
  const halfAFrame = 0.5 / (frameRate ?? USUAL_FRAME_RATE);
  const tolerance = Math.max(halfAFrame, ROUNDING_SECONDS);
  const longer = (info.durationSeconds ?? 0) - (durationSeconds ?? 0);
  return longer >= -tolerance && longer <= tolerance + 1 / (info.frameRate ?? USUAL_FRAME_RATE);
}

const MESSAGES: Record<Extract<RenditionOutcome, { type: 'ended' }>['reason'], string> = {
  too_slow: 'The file took too long to convert: it is damaged, or this machine is too busy.',
  too_much_memory: 'The file needs too much memory to be converted; it is damaged or too large.',
  too_large: 'The copy that was made would be larger than a file may be.',
  no_space: 'The disk of the cloud has too little space.',
  crashed: 'The process that converts the file crashed; the file is probably damaged.',
  stopped: 'The conversion was stopped.',
};
