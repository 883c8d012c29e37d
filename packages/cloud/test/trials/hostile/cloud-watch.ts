import { readFileSync } from 'node:fs';
import type { CloudProcess } from '../support/cloud-process.ts';

const RSS_EVERY_MS = 1_000;
const WAITED_EVERY_MS = 100;

/** The process of the cloud, looked at from outside. */
export interface CloudWatch {
  /** Resident memory, without its processes for media, once a second. */
  readonly rssMiB: readonly number[];
  /** How long its main thread wanted a processor between two instants (since 1970) and had none, milliseconds. */
  waitedMs: (fromMs: number, toMs: number) => number;
  stop(): void;
}

export function watchCloud(cloud: CloudProcess): CloudWatch {
  const rssMiB: number[] = [];
  const waited: { atMs: number; ms: number }[] = [];
  const timers = [
    setInterval(() => rssMiB.push((cloud.rssBytes() ?? 0) / 2 ** 20), RSS_EVERY_MS),
    setInterval(() => waited.push({ atMs: Date.now(), ms: waitedSoFar(cloud.pid) }), WAITED_EVERY_MS),
  ];
  return {
    rssMiB,
    waitedMs(fromMs, toMs) {
      const before = waited.findLast(({ atMs }) => atMs <= fromMs) ?? waited[0];
      const after = waited.find(({ atMs }) => atMs >= toMs) ?? waited.at(-1);
      return (after?.ms ?? 0) - (before?.ms ?? 0);
    },
    stop() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** By the scheduler of Linux; 0 elsewhere. */
function waitedSoFar(pid: number): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(waitedNs) / 1e6;
  } catch {
    return 0;
  }
}
