import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../domain/clock.ts';
import { PROGRAM_FILES } from '../program/program-files.ts';
import { WITHOUT_DECODER } from './inspection-messages.ts';
import { lowerPriority, readResidentBytes } from './process-stats.ts';
import { isPartName, unfinishedPartPath } from './rendition-files.ts';
import { renditionMessage } from './rendition-messages.ts';
import type { RenditionOrder, RenditionReport } from './rendition-messages.ts';
import { spawnLimited } from './spawn-limited.ts';

const CHECK_INTERVAL_MS = 250;
/** What decoders, encoder and Node.js reserve. */
const MAX_DATA_KB = 6 * 2 ** 20;
/** The index of a film of four hours is in it: with that the process takes 800 MB. */
const HEAP_MIB = 1536;
/** CPU time beside the deadline, which is of the wall clock: for a process whose cloud was killed. */
const MAX_CORES = 16;

export interface RenditionLimits {
  /** Wall-clock time. */
  deadlineMs: number;
  /** Resident memory of the whole process, bytes. */
  memoryBytes: number;
  /** How much nicer it is than the cloud. */
  nicer: number;
}

export type RenditionOutcome =
  | RenditionReport
  | {
      type: 'ended';
      reason: 'too_slow' | 'too_much_memory' | 'too_large' | 'no_space' | 'crashed' | 'stopped';
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
  /** Whether there is disk space: parts are joined as fast as the disk writes. */
  hasSpace: () => boolean;
  /** Called when it has finished a part. */
  onPart: () => void;
}

/** Starts a process that makes one rendition. */
export function startRenditionProcess(
  order: RenditionOrder,
  { clock, mediaDir, useDecoder, limits, hasSpace, onPart }: RenditionProcessOptions,
): RenditionProcess {
  const child = spawnLimited({
    main: PROGRAM_FILES.renditionMain,
    args: [JSON.stringify(order), ...(useDecoder ? [] : [WITHOUT_DECODER])],
    readableDir: mediaDir,
    writableDir: dirname(order.to),
    cpuSeconds: Math.ceil((limits.deadlineMs / 1000) * MAX_CORES),
    dataKb: MAX_DATA_KB,
    heapMib: HEAP_MIB,
  });
  // At once: threads have the priority of the thread that starts them.
  lowerPriority(child.pid, limits.nicer);
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
    const written = (await sizeOf(order.to)) + (await sizeOf(unfinishedPartPath(order.to)));
    if (hasEnded) {
      return;
    }
    if (performance.now() - startedMs > limits.deadlineMs) {
      end('too_slow');
    } else if ((readResidentBytes(child.pid) ?? 0) > limits.memoryBytes) {
      end('too_much_memory');
    } else if (written > order.maxBytes) {
      end('too_large');
    } else if (!hasSpace()) {
      end('no_space');
    } else {
      cancelCheck = clock.setTimer(CHECK_INTERVAL_MS, () => void check());
    }
  };
  const checkParts = async () => {
    if ((await sizeOfParts(dirname(order.to))) > order.maxBytes && !hasEnded) {
      end('too_large');
    }
  };

  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-4000);
  });
  child.on('message', (message) => {
    const { data } = renditionMessage.safeParse(message);
    if (data?.type === 'part') {
      onPart();
      void checkParts();
    } else if (data) {
      report = data;
    }
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
  void checkParts();
  return { pid: child.pid, outcome: promise, stop: () => end('stopped') };
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

async function sizeOfParts(folder: string): Promise<number> {
  const names = (await readdir(folder).catch(() => [])).filter(isPartName);
  const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}
