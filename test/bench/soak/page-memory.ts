import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { DevtoolsPage } from './devtools-page.ts';

/** Memory of a page after a garbage collection. */
export interface PageMemory {
  nodes: number;
  listeners: number;
  heapMb: number;
  /** Blob URLs created and not revoked since `countBlobUrls`. */
  blobUrls: number;
}

const MEGABYTE = 1024 * 1024;
const SAMPLE_INTERVAL_MS = 250;

/** Starts counting URLs that `URL.createObjectURL` creates and that are not revoked. */
export async function countBlobUrls(page: DevtoolsPage): Promise<void> {
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

export async function readPageMemory(page: DevtoolsPage): Promise<PageMemory> {
  await page.devtools('Performance.enable');
  // Several rounds, because the objects freed by one may release others.
  for (let round = 0; round < 3; round++) {
    await page.devtools('HeapProfiler.collectGarbage');
  }
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

async function evaluate(page: DevtoolsPage, expression: string): Promise<unknown> {
  const { result } = await page.devtools('Runtime.evaluate', { expression });
  return result.value;
}

/** Proportional set size of the renderer process in megabytes; NaN where the system does not provide it. */
export interface RendererMemory {
  /** The mean, because a picture needs less than a video. */
  levelMb: number;
  /** The same without the pages of the executable, whose share grows when fewer browsers run. */
  ownMb: number;
  peakMb: number;
}

/** Samples four times a second until `stop`. */
export function watchRenderer(page: DevtoolsPage): { stop(): Promise<RendererMemory> } {
  const over = new AbortController();
  const { signal } = over;
  const sample = async () => {
    const seen: Reading[] = [];
    do {
      seen.push(await readRenderer(page));
      await wait(SAMPLE_INTERVAL_MS, null, { signal }).catch(() => {});
    } while (!signal.aborted);
    const mean = (of: (reading: Reading) => number) => seen.map(of).reduce((a, b) => a + b, 0) / seen.length;
    return {
      levelMb: mean(({ allMb }) => allMb),
      ownMb: mean(({ allMb, fileMb }) => allMb - fileMb),
      peakMb: Math.max(...seen.map(({ allMb }) => allMb)),
    };
  };
  const sampling = sample();
  return {
    stop() {
      over.abort();
      return sampling;
    },
  };
}

interface Reading {
  allMb: number;
  fileMb: number;
}

/** The largest renderer, because the browser keeps a spare one. */
async function readRenderer(page: DevtoolsPage): Promise<Reading> {
  if (process.platform !== 'linux') {
    return { allMb: Number.NaN, fileMb: Number.NaN };
  }
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
