import type { Clock } from '../domain/clock.ts';
import { report } from './messages.ts';
import type { Codecs, Facts, Order, Refused, RefusedBecause } from './messages.ts';
import { cpuMs, lowerPriority, residentBytes } from './process-stats.ts';
import { spawnLimited } from './spawn-limited.ts';

/** Time to load the libraries, on a slow disk. */
const READY_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 50;
/** On a machine that is too busy to let it compute, a file has so many times its deadline. */
const MOST_DEADLINES = 3;
export interface ChildLimits {
  /** For one file: real time, and longer only as far as the process was not let to compute for as long. */
  deadlineMs: number;
  /** Resident memory of the whole process, bytes. */
  memoryBytes: number;
}

/** What became of one order. */
export type Outcome =
  | { type: 'done'; facts: Facts; thumbnail: Buffer | null; thumbnailFault: RefusedBecause | null }
  | ({ type: 'refused' } & Refused)
  | ({ type: 'codecs' } & Codecs)
  /** The process is gone. `facts`, when it had told that the file can be shown. */
  | {
      type: 'ended';
      because: 'too_slow' | 'too_much_memory' | 'crashed' | 'not_started';
      facts: Facts | null;
      /** The end of what one that did not start wrote, for the log. */
      lastWords?: string;
    };

/** A process that looks at one file after the other. */
export interface InspectionProcess {
  readonly pid: number | undefined;
  readonly ended: boolean;
  /** Orders that it carried out. */
  readonly served: number;
  /** Resident memory now, bytes; null where the system does not tell. */
  memoryBytes(): number | null;
  /** One order at a time. Never rejects. */
  run(order: Order): Promise<Outcome>;
  /** Ends it at once, whatever it does. */
  kill(): void;
}

export interface ChildOptions {
  /** Real time: what is bounded is the work of a real process. */
  clock: Clock;
  /** The only folder beside our own code that it may read. */
  readable: string;
  /** Whether it may load the optional decoder. */
  decoder: boolean;
  limits: ChildLimits;
}

export function startInspectionProcess({
  clock,
  readable,
  decoder,
  limits,
}: ChildOptions): InspectionProcess {
  const child = spawnLimited(readable, decoder);
  let ended = false;
  let served = 0;
  let lastWords = '';
  let isReady = false;
  let current: { facts: Facts | null; settle: (outcome: Outcome) => void; order: Order } | null = null;
  let because: 'too_slow' | 'too_much_memory' | 'crashed' | 'not_started' = 'not_started';
  let stopWatching: (() => void) | null = null;

  const settle = (outcome: Outcome) => {
    stopWatching?.();
    stopWatching = null;
    const settled = current;
    current = null;
    settled?.settle(outcome);
  };
  const end = (why: typeof because) => {
    if (ended) return;
    ended = true;
    because = why;
    child.kill('SIGKILL');
    settle({
      type: 'ended',
      because,
      facts: current?.facts ?? null,
      ...(why === 'not_started' && { lastWords: lastWords.slice(-500) }),
    });
  };
  const memoryBytes = () => residentBytes(child.pid);

  /** The time for one order, and the memory while it is carried out. */
  const watch = () => {
    const startMs = performance.now();
    const startCpuMs = cpuMs(child.pid);
    const isLate = () => {
      const tookMs = performance.now() - startMs;
      if (tookMs < limits.deadlineMs) return false;
      const nowCpuMs = cpuMs(child.pid);
      if (startCpuMs === null || nowCpuMs === null) return true;
      return nowCpuMs - startCpuMs > limits.deadlineMs * 0.8 || tookMs > limits.deadlineMs * MOST_DEADLINES;
    };
    const look = () => {
      if ((memoryBytes() ?? 0) > limits.memoryBytes) end('too_much_memory');
      else if (isLate()) end('too_slow');
      else stopWatching = clock.setTimer(LOOK_EVERY_MS, look);
    };
    look();
  };
  const begin = () => {
    if (!current || ended) return;
    watch();
    child.send(current.order, () => {});
  };

  const cancelReady = clock.setTimer(READY_WITHIN_MS, () => {
    if (!isReady) end('not_started');
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    // FFmpeg and Node talk a lot. Only how it ended is of interest, and never goes into a log as it is.
    lastWords = (lastWords + text).slice(-4000);
  });
  child.on('error', () => end('not_started'));
  child.on('close', () => {
    cancelReady();
    if (!isReady) end('not_started');
    else end(/out of memory|allocation failed|bad_alloc/i.test(lastWords) ? 'too_much_memory' : 'crashed');
  });
  child.on('message', (message) => {
    const read = report.safeParse(message);
    if (!read.success) {
      end('crashed');
      return;
    }
    const told = read.data;
    if (told.type === 'ready') {
      isReady = true;
      // Loading our own code was urgent. From here on requests come first.
      lowerPriority(child.pid);
      cancelReady();
      begin();
    } else if (told.type === 'facts') {
      if (current) current.facts = told.facts;
    } else if (told.type === 'done') {
      if (!current?.facts) {
        end('crashed');
        return;
      }
      served++;
      const thumbnail = told.thumbnail === null ? null : Buffer.from(told.thumbnail, 'base64');
      settle({ type: 'done', facts: current.facts, thumbnail, thumbnailFault: told.thumbnailFault });
    } else {
      served++;
      settle(told);
    }
  });

  return {
    pid: child.pid,
    get ended() {
      return ended;
    },
    get served() {
      return served;
    },
    memoryBytes,
    run(order) {
      const { promise, resolve: answer } = Promise.withResolvers<Outcome>();
      if (ended) {
        answer({ type: 'ended', because, facts: null });
        return promise;
      }
      current = { facts: null, settle: answer, order };
      if (isReady) begin();
      return promise;
    },
    kill: () => end('crashed'),
  };
}
