import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { ApiError } from '../domain/api-error.ts';
import type { PictureMeasures } from '../domain/picture-series.ts';
import { startInspectionProcess } from './inspection-process.ts';
import type { InspectionLimits, InspectionProcess, InspectionOutcome } from './inspection-process.ts';
import { createFairQueue } from './fair-queue.ts';
import type { Codecs, InspectedFile, InspectionRequest, RejectedFile } from './inspection-messages.ts';

/** Inspects files in separate processes, so that no file can stop the cloud. */
export interface MediaInspector {
  /**
   * Inspects a file. Owners take turns, and none can occupy all processes. Throws `UNAVAILABLE` if too many files
   * wait, no process can be started, or the inspector is closed.
   */
  inspect(path: string, owner: string): Promise<InspectedFile | RejectedFile>;
  /** Measures what a screenshot looks like; otherwise as `inspect`. */
  measure(path: string, owner: string): Promise<PictureMeasures | RejectedFile>;
  /** Starts a process unless there is one: called when a file begins to arrive, because starting takes 0.3 to 1 s. */
  warmUp(): void;
  /** The video codecs that thumbnails can be made of on this machine. */
  codecs(): Promise<Codecs>;
  pids(): number[];
  /** Ends all processes; waiting files are rejected. */
  close(): Promise<void>;
}

export interface MediaInspectorOptions {
  clock: Clock;
  log: Logger;
  /** Folder of the files. */
  mediaDir: string;
  /** False: the optional video decoder is not loaded, even if installed. */
  useDecoder?: boolean;
  limits?: Partial<InspectionLimits>;
  /** Maximum number of processes; one per core by default. */
  processes?: number;
}

const DEFAULT_LIMITS: InspectionLimits = { deadlineMs: 10_000, memoryBytes: 512 * 2 ** 20 };
const QUEUE_LIMITS = { maxSize: 256, maxPerOwner: 64 };
/** An idle process takes 100 to 200 MB, so it is ended after this time without a file. */
const IDLE_MS = 30_000;
/** Native libraries leak some memory per file, so processes are replaced. */
const MAX_FILES_PER_PROCESS = 500;
const MAX_RETAINED_BYTES = 320 * 2 ** 20;

interface QueuedRequest {
  order: InspectionRequest;
  owner: string;
  resolve: (outcome: InspectionOutcome) => void;
  reject: (error: unknown) => void;
}

interface Slot {
  process: InspectionProcess | null;
  /** Owner of the current request; null while idle. */
  owner: string | null;
  cancelIdle: () => void;
}

export function createMediaInspector(options: MediaInspectorOptions): MediaInspector {
  const { clock, log } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const queue = createFairQueue<QueuedRequest>(QUEUE_LIMITS);
  const slots = Array.from({ length: options.processes ?? availableParallelism() }, (): Slot => ({
    process: null,
    owner: null,
    cancelIdle: () => {},
  }));
  // One process is left for other owners.
  const maxPerOwner = Math.max(1, slots.length - 1);
  const mayStart = (owner: string) => slots.filter((slot) => slot.owner === owner).length < maxPerOwner;
  let isClosed = false;

  const startProcess = () =>
    startInspectionProcess({
      clock,
      mediaDir: options.mediaDir,
      useDecoder: options.useDecoder ?? true,
      limits,
    });

  /** Runs a request; a dead or worn process is replaced first. */
  const runInSlot = async (slot: Slot, order: InspectionRequest): Promise<InspectionOutcome> => {
    slot.cancelIdle();
    if (slot.process?.hasEnded || (slot.process && shouldBeReplaced(slot.process))) {
      endProcess(slot);
    }
    slot.process ??= startProcess();
    const served = slot.process.filesInspected;
    const startedMs = performance.now();
    const outcome = await slot.process.run(order);
    if (outcome.type !== 'ended' || isClosed) {
      return outcome;
    }
    endProcess(slot);
    log.warn(
      { reason: outcome.reason, served, ms: Math.round(performance.now() - startedMs) },
      'media.process_ended',
    );
    // An earlier file may have caused the failure: retry in a fresh process.
    return served > 0 && outcome.reason !== 'too_slow' ? runInSlot(slot, order) : outcome;
  };

  const startNext = () => {
    // Warm processes first.
    const idle = slots
      .filter(({ owner }) => owner === null)
      .toSorted((a, b) => Number(!a.process) - Number(!b.process));
    for (const slot of idle) {
      const queued = queue.next(mayStart);
      if (!queued) {
        return;
      }
      slot.owner = queued.owner;
      void runInSlot(slot, queued.order)
        .then(queued.resolve, queued.reject)
        .finally(() => {
          slot.owner = null;
          slot.cancelIdle = clock.setTimer(IDLE_MS, () => endProcess(slot));
          if (isClosed) {
            endProcess(slot);
          } else {
            startNext();
          }
        });
    }
  };

  const enqueue = (order: InspectionRequest, owner: string): Promise<InspectionOutcome> => {
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<InspectionOutcome>();
    if (isClosed) {
      fail(stoppingError());
    } else if (!queue.push(owner, { order, owner, resolve: settle, reject: fail })) {
      fail(
        new ApiError('UNAVAILABLE', 'Too many files are waiting for inspection. Try again in a minute.', {
          headers: { 'retry-after': '60' },
        }),
      );
    } else {
      startNext();
    }
    return promise;
  };

  const unavailableError = (outcome: InspectionOutcome) => {
    if (isClosed) {
      return stoppingError();
    }
    const stderr = outcome.type === 'ended' ? outcome.stderrTail : undefined;
    log.error({ stderr }, 'media.process_start_failed');
    return tryAgainSoon('The process that inspects media files could not be started. Try again.');
  };

  return {
    async inspect(path, owner) {
      const outcome = await enqueue({ type: 'inspect', path: resolve(path) }, owner);
      if (outcome.type === 'done') {
        return { ...outcome.info, thumbnail: outcome.thumbnail, thumbnailFault: outcome.thumbnailFault };
      }
      if (outcome.type === 'refused') {
        return { reason: outcome.reason, message: outcome.message };
      }
      if (outcome.type !== 'ended' || isClosed || outcome.reason === 'not_started') {
        throw unavailableError(outcome);
      }
      const { reason, info } = outcome;
      // The file is supported; only making its thumbnail failed.
      if (info && reason !== 'too_slow') {
        return { ...info, thumbnail: null, thumbnailFault: reason };
      }
      return { reason, message: rejectionMessages(limits)[reason] };
    },
    async measure(path, owner) {
      const outcome = await enqueue({ type: 'measure', path: resolve(path) }, owner);
      if (outcome.type === 'measured') {
        return { luminance: outcome.luminance, dark: outcome.dark, hash: outcome.hash };
      }
      if (outcome.type === 'refused') {
        return { reason: outcome.reason, message: outcome.message };
      }
      if (outcome.type !== 'ended' || isClosed || outcome.reason === 'not_started') {
        throw unavailableError(outcome);
      }
      return { reason: outcome.reason, message: rejectionMessages(limits)[outcome.reason] };
    },
    warmUp() {
      const [slot] = slots;
      if (isClosed || !slot || slots.some(({ process, owner }) => process || owner !== null)) {
        return;
      }
      slot.process = startProcess();
      slot.cancelIdle = clock.setTimer(IDLE_MS, () => endProcess(slot));
    },
    async codecs() {
      const outcome = await enqueue({ type: 'codecs' }, 'codecs');
      if (outcome.type !== 'codecs') {
        throw unavailableError(outcome);
      }
      return { codecs: outcome.codecs, missing: outcome.missing };
    },
    pids: () =>
      slots.flatMap(({ process }) => (process?.pid !== undefined && !process.hasEnded ? [process.pid] : [])),
    async close() {
      isClosed = true;
      for (let queued = queue.next(); queued; queued = queue.next()) {
        queued.reject(stoppingError());
      }
      for (const slot of slots) {
        endProcess(slot);
      }
    },
  };
}

function endProcess(slot: Slot): void {
  slot.cancelIdle();
  slot.process?.kill();
  slot.process = null;
}

function shouldBeReplaced(process: InspectionProcess): boolean {
  return process.filesInspected >= MAX_FILES_PER_PROCESS || (process.memoryBytes() ?? 0) > MAX_RETAINED_BYTES;
}

const tryAgainSoon = (message: string) =>
  new ApiError('UNAVAILABLE', message, { headers: { 'retry-after': '5' } });
const stoppingError = () => tryAgainSoon('The service is stopping. Try again.');

const rejectionMessages = ({ deadlineMs, memoryBytes }: InspectionLimits) => ({
  too_slow: `The file could not be read within ${deadlineMs / 1000} seconds: it is damaged, or the cloud is too busy. Send it again; if that fails, export it again.`,
  too_much_memory: `The file needs more than ${Math.round(memoryBytes / 2 ** 20)} MB of memory to be read: it is damaged or too large. Export it again, or smaller.`,
  crashed: 'The process that reads the file crashed: the file is probably damaged. Export it again.',
});
