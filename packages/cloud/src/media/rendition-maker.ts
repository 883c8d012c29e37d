import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MAX_FILE_BYTES } from '@placard/protocol/api';
import type { RenditionKind } from '@placard/protocol/api';
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import type { MediaInfo } from './inspection-messages.ts';
import type { MediaInspector } from './inspector.ts';
import { startRenditionProcess } from './rendition-process.ts';
import type { RenditionLimits, RenditionOutcome } from './rendition-process.ts';

/** A video may take so many times its duration, at the low priority that it has. */
const DEADLINE_DURATIONS = 60;
const LEAST_DEADLINE_MS = 5 * 60_000;
const MOST_DEADLINE_MS = 12 * 3_600_000;
const MEMORY_BYTES = 2 * 2 ** 30;
/** Containers round times. */
const ROUNDING_SECONDS = 0.002;
/** Frames per second of a video that does not tell them. */
const USUAL_FRAME_RATE = 30;

export interface RenditionTask {
  kind: RenditionKind;
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
  /** Deletes the file. */
  discard(): Promise<void>;
}

/** Why none was made. Reasons never change their meaning. */
export interface FailedRendition {
  reason: string;
  message: string;
}

export interface RenditionMaker {
  /** Makes one rendition in a process of its own, and inspects it; null when the signal has ended it. */
  make(task: RenditionTask, signal: AbortSignal): Promise<MadeRendition | FailedRendition | null>;
}

export interface RenditionMakerOptions {
  clock: Clock;
  log: Logger;
  /** Folder of the originals. */
  mediaDir: string;
  inspector: Pick<MediaInspector, 'inspect'>;
  useDecoder: boolean;
  limits?: Partial<RenditionLimits> & { maxBytes?: number };
}

export async function createRenditionMaker(options: RenditionMakerOptions): Promise<RenditionMaker> {
  const { clock, log, inspector, useDecoder } = options;
  const mediaDir = resolve(options.mediaDir);
  const dir = join(mediaDir, 'renditions');
  // What a process that was killed has left.
  await rm(dir, { recursive: true, force: true });

  const convert = async (task: RenditionTask, to: string, signal: AbortSignal): Promise<RenditionOutcome> => {
    const { maxBytes = MAX_FILE_BYTES, ...limits } = options.limits ?? {};
    const running = startRenditionProcess(
      { kind: task.kind, from: resolve(task.from), to, maxBytes },
      {
        clock,
        mediaDir,
        useDecoder,
        limits: {
          deadlineMs: Math.min(
            MOST_DEADLINE_MS,
            Math.max(LEAST_DEADLINE_MS, (task.durationSeconds ?? 0) * 1000 * DEADLINE_DURATIONS),
          ),
          memoryBytes: MEMORY_BYTES,
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

  return {
    async make(task, signal) {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const path = join(dir, randomUUID());
      const discard = () => rm(path, { force: true });
      let isKept = false;
      try {
        const outcome = await convert(task, path, signal);
        if (signal.aborted) {
          return null;
        }
        if (outcome.type === 'failed') {
          return outcome;
        }
        if (outcome.type === 'ended') {
          const { reason, stderrTail: stderr } = outcome;
          log.warn({ reason, kind: task.kind, stderr }, 'rendition.process_ended');
          return { reason, message: MESSAGES[reason] };
        }
        const info = await inspector.inspect(path, 'renditions');
        if ('reason' in info) {
          return { reason: 'crashed', message: `The version that was made cannot be read: ${info.message}` };
        }
        if (!isSameDuration(task, info)) {
          return {
            reason: 'wrong_duration',
            message: `The version that was made takes ${info.durationSeconds} s instead of ${task.durationSeconds} s.`,
          };
        }
        isKept = true;
        return { path, info, discard };
      } finally {
        if (!isKept) {
          await discard();
        }
      }
    },
  };
}

/** Whether both end with the same frame. */
function isSameDuration({ durationSeconds, frameRate }: RenditionTask, info: MediaInfo): boolean {
  const halfAFrame = 0.5 / (frameRate ?? USUAL_FRAME_RATE);
  const difference = Math.abs((info.durationSeconds ?? 0) - (durationSeconds ?? 0));
  return difference <= Math.max(halfAFrame, ROUNDING_SECONDS);
}

const MESSAGES: Record<Extract<RenditionOutcome, { type: 'ended' }>['reason'], string> = {
  too_slow: 'The file took too long to convert: it is damaged, or this machine is too busy.',
  too_much_memory: 'The file needs too much memory to be converted; it is damaged or too large.',
  too_large: 'The version that was made would be larger than a file may be.',
  crashed: 'The process that converts the file crashed; the file is probably damaged.',
  stopped: 'The conversion was stopped.',
};
