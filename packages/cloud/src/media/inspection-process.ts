import type { Clock } from '../domain/clock.ts';
import type { PictureMeasures } from '../domain/picture-series.ts';
import { PROGRAM_FILES } from '../program/program-files.ts';
import { inspectionReport, WITHOUT_DECODER } from './inspection-messages.ts';
import type {
  Codecs,
  MediaInfo,
  InspectionRequest,
  RejectedFile,
  RejectionReason,
} from './inspection-messages.ts';
import { readCpuMs, lowerPriority, readResidentBytes } from './process-stats.ts';
import { spawnLimited } from './spawn-limited.ts';

/** Time to load the libraries, on a slow disk. */
const STARTUP_TIMEOUT_MS = 120_000;
const STARTUP_CHECK_INTERVAL_MS = 5_000;
const CHECK_INTERVAL_MS = 50;
/** On a busy machine a file gets up to this many times its deadline. */
const MAX_DEADLINES = 3;
const MAX_CPU_SECONDS = 600;
const MAX_DATA_KB = 1_310_720;
/**
 * How much nicer than the cloud: a third of its share of a busy core. At a tenth (10) an upload took over a second
 * while the devices of a lost node connected again.
 */
const NICER = 5;

export interface InspectionLimits {
  /** Wall-clock time for one file, extended while the process got too little CPU time. */
  deadlineMs: number;
  /** Resident memory of the whole process, bytes. */
  memoryBytes: number;
}

export type InspectionOutcome =
  | { type: 'done'; info: MediaInfo; thumbnail: Buffer | null; thumbnailFault: RejectionReason | null }
  | ({ type: 'refused' } & RejectedFile)
  | ({ type: 'codecs' } & Codecs)
  | ({ type: 'measured' } & PictureMeasures)
  /** The process has ended. `info` is set if it had reported the file as supported. */
  | {
      type: 'ended';
      reason: 'too_slow' | 'too_much_memory' | 'crashed' | 'not_started';
      info: MediaInfo | null;
      /** The end of stderr of a process that did not start, for the log. */
      stderrTail?: string;
    };

/** A process that inspects one file after another. */
export interface InspectionProcess {
  readonly pid: number | undefined;
  readonly hasEnded: boolean;
  readonly filesInspected: number;
  /** Current resident memory in bytes; null where the operating system does not provide it. */
  memoryBytes(): number | null;
  /** Runs one request at a time. Never rejects. */
  run(order: InspectionRequest): Promise<InspectionOutcome>;
  /** Kills the process immediately. */
  kill(): void;
}

export interface InspectionProcessOptions {
  /** The real clock, because it limits a real process. */
  clock: Clock;
  /** The only folder, besides our own code, that it may read. */
  mediaDir: string;
  /** Whether it may load the optional decoder. */
  useDecoder: boolean;
  limits: InspectionLimits;
}

export function startInspectionProcess({
  clock,
  mediaDir,
  useDecoder,
  limits,
}: InspectionProcessOptions): InspectionProcess {
  const child = spawnLimited({
    main: PROGRAM_FILES.inspectionMain,
    args: useDecoder ? [] : [WITHOUT_DECODER],
    readableDir: mediaDir,
    cpuSeconds: MAX_CPU_SECONDS,
    dataKb: MAX_DATA_KB,
  });
  let ended = false;
  let served = 0;
  let stderrTail = '';
  let isReady = false;
  let current: {
    info: MediaInfo | null;
    resolve: (outcome: InspectionOutcome) => void;
    order: InspectionRequest;
  } | null = null;
  let endReason: 'too_slow' | 'too_much_memory' | 'crashed' | 'not_started' = 'not_started';
  let cancelWatchdog: (() => void) | null = null;

  const finish = (outcome: InspectionOutcome) => {
    cancelWatchdog?.();
    cancelWatchdog = null;
    const finished = current;
    current = null;
    finished?.resolve(outcome);
  };
  const end = (reason: typeof endReason) => {
    if (ended) {
      return;
    }
    ended = true;
    endReason = reason;
    child.kill('SIGKILL');
    finish({
      type: 'ended',
      reason: endReason,
      info: current?.info ?? null,
      ...(reason === 'not_started' && { stderrTail: stderrTail.slice(-500) }),
    });
  };
  const memoryBytes = () => readResidentBytes(child.pid);

  /** Enforces the deadline and the memory limit of one request. */
  const startWatchdog = () => {
    const startMs = performance.now();
    const startCpuMs = readCpuMs(child.pid);
    const isLate = () => {
      const tookMs = performance.now() - startMs;
      if (tookMs < limits.deadlineMs) {
        return false;
      }
      const nowCpuMs = readCpuMs(child.pid);
      if (startCpuMs === null || nowCpuMs === null) {
        return true;
      }
      return nowCpuMs - startCpuMs > limits.deadlineMs * 0.8 || tookMs > limits.deadlineMs * MAX_DEADLINES;
    };
    const check = () => {
      if ((memoryBytes() ?? 0) > limits.memoryBytes) {
        end('too_much_memory');
      } else if (isLate()) {
        end('too_slow');
      } else {
        cancelWatchdog = clock.setTimer(CHECK_INTERVAL_MS, check);
      }
    };
    check();
  };
  const sendRequest = () => {
    if (!current || ended) {
      return;
    }
    startWatchdog();
    child.send(current.order, () => {});
  };

  const startedMs = performance.now();
  const checkStart = () => {
    if (performance.now() - startedMs > STARTUP_TIMEOUT_MS) {
      end('not_started');
    } else {
      cancelStartCheck = clock.setTimer(STARTUP_CHECK_INTERVAL_MS, checkStart);
    }
  };
  let cancelStartCheck = clock.setTimer(STARTUP_CHECK_INTERVAL_MS, checkStart);
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    // FFmpeg and Node.js write a lot; only the end matters.
    stderrTail = (stderrTail + text).slice(-4000);
  });
  child.on('error', () => end('not_started'));
  child.on('close', () => {
    cancelStartCheck();
    if (!isReady) {
      end('not_started');
    } else {
      end(/out of memory|allocation failed|bad_alloc/i.test(stderrTail) ? 'too_much_memory' : 'crashed');
    }
  });
  child.on('message', (message) => {
    const parsed = inspectionReport.safeParse(message);
    if (!parsed.success) {
      end('crashed');
      return;
    }
    const reported = parsed.data;
    if (reported.type === 'ready') {
      isReady = true;
      // Loading our own code was urgent; from here on API requests have priority.
      lowerPriority(child.pid, NICER);
      cancelStartCheck();
      sendRequest();
    } else if (reported.type === 'info') {
      if (current) {
        current.info = reported.info;
      }
    } else if (reported.type === 'done') {
      if (!current?.info) {
        end('crashed');
        return;
      }
      served++;
      const thumbnail = reported.thumbnail === null ? null : Buffer.from(reported.thumbnail, 'base64');
      finish({ type: 'done', info: current.info, thumbnail, thumbnailFault: reported.thumbnailFault });
    } else {
      served++;
      finish(reported);
    }
  });

  return {
    pid: child.pid,
    get hasEnded() {
      return ended;
    },
    get filesInspected() {
      return served;
    },
    memoryBytes,
    run(order) {
      const { promise, resolve: resolveOutcome } = Promise.withResolvers<InspectionOutcome>();
      if (ended) {
        resolveOutcome({ type: 'ended', reason: endReason, info: null });
        return promise;
      }
      current = { info: null, resolve: resolveOutcome, order };
      if (isReady) {
        sendRequest();
      }
      return promise;
    },
    kill: () => end('crashed'),
  };
}
