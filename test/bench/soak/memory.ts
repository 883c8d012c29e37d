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
const LOOK_MS = 500;

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

/** Proportional set size of the process that draws the page, in megabytes; NaN where the system does not tell. */
export interface RendererMemory {
  /** The mean: a picture needs less than a video, and what is on at one instant would decide. */
  levelMb: number;
  peakMb: number;
}

/** Looks twice a second, while the page works, until `stop`. */
export function watchRenderer(page: BarePage): { stop(): Promise<RendererMemory> } {
  const over = new AbortController();
  const { signal } = over;
  const look = async () => {
    const seenMb: number[] = [];
    do {
      seenMb.push(await rendererMegabytes(page));
      await wait(LOOK_MS, null, { signal }).catch(() => {});
    } while (!signal.aborted);
    const levelMb = seenMb.reduce((sum, mb) => sum + mb, 0) / seenMb.length;
    return { levelMb, peakMb: Math.max(...seenMb) };
  };
  const looking = look();
  return {
    stop() {
      over.abort();
      return looking;
    },
  };
}

/** The largest renderer, for the browser keeps a spare one. */
async function rendererMegabytes(page: BarePage): Promise<number> {
  if (process.platform !== 'linux') return Number.NaN;
  const sizes = await Promise.all(
    (await page.renderers()).map(async (pid) => {
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
      return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
    }),
  );
  return Math.max(...sizes);
}
