import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../domain/clock.ts';
import { PROGRAM_FILES } from '../program/program-files.ts';
import { WITHOUT_DECODER } from './inspection-messages.ts';
import { lowerPriority, readResidentBytes } from './process-stats.ts';
import { renditionReport } from './rendition-messages.ts';
import type { RenditionOrder, RenditionReport } from './rendition-messages.ts';
import { spawnLimited } from './spawn-limited.ts';

/** How much nicer than the cloud, which inspects uploads at 5: on a busy machine 3 % of a core are left. */
const NICER = 15;
const CHECK_INTERVAL_MS = 250;
/** What decoders, encoder and Node.js reserve. */
const MAX_DATA_KB = 6 * 2 ** 20;
/** CPU time beside the deadline, which is of the wall clock: for a process whose cloud was killed. */
const MAX_CORES = 16;

export interface RenditionLimits {
  /** Wall-clock time. */
  deadlineMs: number;
  /** Resident memory of the whole process, bytes. */
  memoryBytes: number;
}

export type RenditionOutcome =
  | RenditionReport
  | {
      type: 'ended';
      reason: 'too_slow' | 'too_much_memory' | 'too_large' | 'crashed' | 'stopped';
      /** The end of stderr, for the log. */
      stderrTail: string;
    };

export interface RenditionProcess {
  readonly pid: number | undefined;
  /** Never rejects. The file is complete if it was made. */
  readonly outcome: Promise<RenditionOutcome>;
  /** Ends the process immediately. */
  stop: () => void;
}

export interface RenditionProcessOptions {
  /** The real clock, because it limits a real process. */
  clock: Clock;
  /** The only folder, besides our own code, that it may read. */
  mediaDir: string;
  /** Whether it may load the optional package. */
  useDecoder: boolean;
  limits: RenditionLimits;
}

/** Starts a process that makes one rendition. */
export function startRenditionProcess(
  order: RenditionOrder,
  { clock, mediaDir, useDecoder, limits }: RenditionProcessOptions,
): RenditionProcess {
  const child = spawnLimited({
    main: PROGRAM_FILES.renditionMain,
    args: [JSON.stringify(order), ...(useDecoder ? [] : [WITHOUT_DECODER])],
    readableDir: mediaDir,
    writableDir: dirname(order.to),
    cpuSeconds: Math.ceil((limits.deadlineMs / 1000) * MAX_CORES),
    dataKb: MAX_DATA_KB,
  });
  // At once: threads have the priority of the thread that starts them.
  lowerPriority(child.pid, NICER);
  const { promise, resolve } = Promise.withResolvers<RenditionOutcome>();
  const startedMs = performance.now();
  let report: RenditionReport | null = null;
  let stderrTail = '';
  let hasEnded = false;
  let cancelCheck: (() => void) | null = null;

  const end = (reason: Extract<RenditionOutcome, { type: 'ended' }>['reason']) => {
    child.kill('SIGKILL');
    settle({ type: 'ended', reason, stderrTail: stderrTail.slice(-500) });
  };
  const settle = (outcome: RenditionOutcome) => {
    hasEnded = true;
    cancelCheck?.();
    resolve(outcome);
  };
  const check = async () => {
    const written = await stat(order.to).then(
      ({ size }) => size,
      () => 0,
    );
    if (hasEnded) {
      return;
    }
    if (performance.now() - startedMs > limits.deadlineMs) {
      end('too_slow');
    } else if ((readResidentBytes(child.pid) ?? 0) > limits.memoryBytes) {
      end('too_much_memory');
    } else if (written > order.maxBytes) {
      end('too_large');
    } else {
      cancelCheck = clock.setTimer(CHECK_INTERVAL_MS, () => void check());
    }
  };

  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-4000);
  });
  child.on('message', (message) => {
    report = renditionReport.safeParse(message).data ?? null;
  });
  child.on('error', () => end('crashed'));
  // Only then the file is complete.
  child.on('close', () => {
    if (report) {
      settle(report);
    } else {
      end(/out of memory|allocation failed|bad_alloc/i.test(stderrTail) ? 'too_much_memory' : 'crashed');
    }
  });
  void check();
  return { pid: child.pid, outcome: promise, stop: () => end('stopped') };
}
