import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { BarePage } from './bare-page.ts';

/** What a page holds, after a garbage collection. */
export interface Held {
  nodes: number;
  listeners: number;
  heapMb: number;
  /** Addresses of blobs made and not taken back since `countBlobUrls`. */
  blobUrls: number;
}

const MEGABYTE = 1024 * 1024;
const LOOK_MS = 250;

/** Counts from now on what is made by `URL.createObjectURL` and not taken back. */
export async function countBlobUrls(page: BarePage): Promise<void> {
  await evaluate(
    page,
    `
    window.openBlobUrls = new Set();
    const { createObjectURL, revokeObjectURL } = URL;
    URL.createObjectURL = (blob) => {
      const url = createObjectURL.call(URL, blob);
      window.openBlobUrls.add(url);
      return url;
    };
    URL.revokeObjectURL = (url) => {
      window.openBlobUrls.delete(url);
      revokeObjectURL.call(URL, url);
    };
    0`,
  );
}

export async function readHeld(page: BarePage): Promise<Held> {
  await page.devtools('Performance.enable');
  // Once is not enough: what the first round sets free may hold more.
  for (let round = 0; round < 3; round++) await page.devtools('HeapProfiler.collectGarbage');
  const { metrics } = await page.devtools('Performance.getMetrics');
  await page.devtools('Performance.disable');
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  return {
    nodes: metric('Nodes'),
    listeners: metric('JSEventListeners'),
    heapMb: metric('JSHeapUsedSize') / MEGABYTE,
    blobUrls: z.number().parse(await evaluate(page, 'window.openBlobUrls.size')),
  };
}

async function evaluate(page: BarePage, expression: string): Promise<unknown> {
  const { result } = await page.devtools('Runtime.evaluate', { expression });
  return result.value;
}

/** Of the process that draws the page, as proportional set size in megabytes; NaN where the system does not tell. */
export interface RendererMemory {
  /** The mean: a picture needs less than a video, and what is on at one instant would decide. */
  levelMb: number;
  /** The same without the pages of the program file, of which it counts the more the fewer browsers run. */
  ownMb: number;
  peakMb: number;
}

/** Looks four times a second, while the page works, until `stop`. */
export function watchRenderer(page: BarePage): { stop(): Promise<RendererMemory> } {
  const over = new AbortController();
  const { signal } = over;
  const look = async () => {
    const seen: Reading[] = [];
    do {
      seen.push(await readRenderer(page));
      await wait(LOOK_MS, null, { signal }).catch(() => {});
    } while (!signal.aborted);
    const mean = (of: (reading: Reading) => number) => seen.map(of).reduce((a, b) => a + b, 0) / seen.length;
    return {
      levelMb: mean(({ allMb }) => allMb),
      ownMb: mean(({ allMb, fileMb }) => allMb - fileMb),
      peakMb: Math.max(...seen.map(({ allMb }) => allMb)),
    };
  };
  const looking = look();
  return {
    stop() {
      over.abort();
      return looking;
    },
  };
}

interface Reading {
  allMb: number;
  fileMb: number;
}

/** The largest renderer, for the browser keeps a spare one. */
async function readRenderer(page: BarePage): Promise<Reading> {
  if (process.platform !== 'linux') return { allMb: Number.NaN, fileMb: Number.NaN };
  const readings = await Promise.all(
    (await page.renderers()).map(async (pid) => {
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
      const megabytes = (field: string) =>
        Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(rollup)?.[1] ?? 0) / 1024;
      return { allMb: megabytes('Pss'), fileMb: megabytes('Pss_File') };
    }),
  );
  return readings.reduce((most, one) => (one.allMb > most.allMb ? one : most));
}
