import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { refusal } from '../domain/refusal.ts';
import { startInspectionProcess } from './child-process.ts';
import type { ChildLimits, InspectionProcess, Outcome } from './child-process.ts';
import { createFairQueue } from './fair-queue.ts';
import type { Codecs, Inspected, Order, Refused } from './messages.ts';

/** Looks at the bytes of files in processes of its own, so that no file can stop the cloud. */
export interface Inspector {
  /**
   * Looks at a file. `owner` is for whom: each owner has its turn, and of several processes none has all. Throws a
   * refusal `UNAVAILABLE` when too many files wait, when no process can be started, and once it is closed.
   */
  inspect(path: string, owner: string): Promise<Inspected | Refused>;
  /** Out of which videos this machine can make small pictures. */
  codecs(): Promise<Codecs>;
  /** Ids of the processes that run now. */
  pids(): number[];
  /** Ends all processes; what was not looked at is refused. */
  close(): Promise<void>;
}

export interface InspectorOptions {
  clock: Clock;
  log: Logger;
  /** Where the files lie. */
  readable: string;
  /** False: the optional decoder of videos is not loaded, although it is installed. */
  decoder?: boolean;
  limits?: Partial<ChildLimits>;
  /** Processes at the same time; one per core by default. */
  processes?: number;
}

const LIMITS: ChildLimits = { deadlineMs: 10_000, memoryBytes: 512 * 2 ** 20 };
const QUEUE = { most: 256, mostOfOne: 64 };
/** An idle process holds 100 to 200 MB: it goes when no file has come for a while. */
const IDLE_MS = 30_000;
/** Native libraries keep some memory of each file: a process is replaced before that matters. */
const MOST_FILES = 500;
const REPLACED_ABOVE_BYTES = 320 * 2 ** 20;

interface Waiting {
  order: Order;
  owner: string;
  settle: (outcome: Outcome) => void;
  fail: (error: unknown) => void;
}

interface Slot {
  process: InspectionProcess | null;
  /** For whom it works; null while it does nothing. */
  owner: string | null;
  cancelIdle: () => void;
}

export function createInspector(options: InspectorOptions): Inspector {
  const { clock, log } = options;
  const limits = { ...LIMITS, ...options.limits };
  const queue = createFairQueue<Waiting>(QUEUE);
  const slots = Array.from({ length: options.processes ?? availableParallelism() }, (): Slot => ({
    process: null,
    owner: null,
    cancelIdle: () => {},
  }));
  // One process is left for others, whatever one owner sends.
  const mostOfOne = Math.max(1, slots.length - 1);
  const mayGo = (owner: string) => slots.filter((slot) => slot.owner === owner).length < mostOfOne;
  let closed = false;

  /** Carries out an order in a process that lives; a dead or worn one is replaced. */
  const runIn = async (slot: Slot, order: Order): Promise<Outcome> => {
    slot.cancelIdle();
    if (slot.process?.ended || (slot.process && isWorn(slot.process))) drop(slot);
    slot.process ??= startInspectionProcess({
      clock,
      readable: options.readable,
      decoder: options.decoder ?? true,
      limits,
    });
    const served = slot.process.served;
    const startedMs = performance.now();
    const outcome = await slot.process.run(order);
    if (outcome.type !== 'ended' || closed) return outcome;
    drop(slot);
    log.warn({
      event: 'media.process_ended',
      reason: outcome.because,
      served,
      ms: Math.round(performance.now() - startedMs),
    });
    // What an earlier file left behind in the process is not the fault of this one: it is judged in a fresh one.
    return served > 0 && outcome.because !== 'too_slow' ? runIn(slot, order) : outcome;
  };

  const pump = () => {
    // Warm processes first.
    const idle = slots
      .filter(({ owner }) => owner === null)
      .toSorted((a, b) => Number(!a.process) - Number(!b.process));
    for (const slot of idle) {
      const waiting = queue.next(mayGo);
      if (!waiting) return;
      slot.owner = waiting.owner;
      void runIn(slot, waiting.order)
        .then(waiting.settle, waiting.fail)
        .finally(() => {
          slot.owner = null;
          slot.cancelIdle = clock.setTimer(IDLE_MS, () => drop(slot));
          if (closed) drop(slot);
          else pump();
        });
    }
  };

  const ask = (order: Order, owner: string): Promise<Outcome> => {
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<Outcome>();
    if (closed) fail(stopping());
    else if (!queue.push(owner, { order, owner, settle, fail }))
      fail(
        refusal('UNAVAILABLE', 'Too many files wait to be looked at. Try again in a minute.', {
          headers: { 'retry-after': '60' },
        }),
      );
    else pump();
    return promise;
  };

  const failed = (outcome: Outcome) => {
    if (closed) return stopping();
    const lastWords = outcome.type === 'ended' ? outcome.lastWords : undefined;
    log.error({ event: 'media.process_failed', lastWords });
    return refusal('UNAVAILABLE', 'The process that looks at files could not be started. Try again.');
  };

  return {
    async inspect(path, owner) {
      const outcome = await ask({ type: 'inspect', path: resolve(path) }, owner);
      if (outcome.type === 'done')
        return { ...outcome.facts, thumbnail: outcome.thumbnail, thumbnailFault: outcome.thumbnailFault };
      if (outcome.type === 'refused') return { reason: outcome.reason, message: outcome.message };
      if (outcome.type === 'codecs' || closed || outcome.because === 'not_started') throw failed(outcome);
      const { because, facts } = outcome;
      // The file can be shown, only its small picture cost too much.
      if (facts && because !== 'too_slow') return { ...facts, thumbnail: null, thumbnailFault: because };
      return { reason: because, message: sentences(limits)[because] };
    },
    async codecs() {
      const outcome = await ask({ type: 'codecs' }, 'codecs');
      if (outcome.type !== 'codecs') throw failed(outcome);
      return { codecs: outcome.codecs, missing: outcome.missing };
    },
    pids: () =>
      slots.flatMap(({ process }) => (process?.pid !== undefined && !process.ended ? [process.pid] : [])),
    async close() {
      closed = true;
      for (let waiting = queue.next(); waiting; waiting = queue.next()) waiting.fail(stopping());
      for (const slot of slots) drop(slot);
    },
  };
}

function drop(slot: Slot): void {
  slot.cancelIdle();
  slot.process?.kill();
  slot.process = null;
}

function isWorn(process: InspectionProcess): boolean {
  return process.served >= MOST_FILES || (process.memoryBytes() ?? 0) > REPLACED_ABOVE_BYTES;
}

const stopping = () => refusal('UNAVAILABLE', 'The service is stopping. Try again.');

const sentences = ({ deadlineMs, memoryBytes }: ChildLimits) => ({
  too_slow: `The file could not be read within ${deadlineMs / 1000} seconds: it is damaged, or this machine is too busy.`,
  too_much_memory: `The file needs more than ${Math.round(memoryBytes / 2 ** 20)} MB of memory to be read; it is damaged or too large.`,
  crashed: 'The file made the program that reads it end; it is probably damaged.',
});
