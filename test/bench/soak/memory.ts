import { readdir, readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { z } from 'zod';

/** What a page holds, after a garbage collection. */
export interface Held {
  nodes: number;
  listeners: number;
  heapMb: number;
  /** Addresses of blobs made and not taken back since `countBlobUrls`. */
  blobUrls: number;
  /** Proportional set size of the process that draws the page; null where the system does not tell. */
  rendererMb: number | null;
}

const MEGABYTE = 1024 * 1024;

/** Counts from now on what is made by `URL.createObjectURL` and not taken back. */
export async function countBlobUrls(page: Page): Promise<void> {
  await page.evaluate(`
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
  `);
}

export async function readHeld(page: Page, profileDir: string): Promise<Held> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  // Once is not enough: what the first round sets free may hold more.
  for (let round = 0; round < 3; round++) await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  await devtools.detach();
  const metric = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  return {
    nodes: metric('Nodes'),
    listeners: metric('JSEventListeners'),
    heapMb: metric('JSHeapUsedSize') / MEGABYTE,
    blobUrls: z.number().parse(await page.evaluate('window.openBlobUrls.size')),
    rendererMb: await rendererMegabytes(profileDir),
  };
}

/** The largest renderer below the browser with this profile. Linux only. */
async function rendererMegabytes(profileDir: string): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  const processes = new Map<number, { parent: number; command: string }>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const [status, command] = await Promise.all([
      readFile(`/proc/${name}/status`, 'utf8').catch(() => ''),
      readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => ''),
    ]);
    const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    processes.set(Number(name), { parent, command });
  }
  const isOurs = (pid: number): boolean => {
    const one = processes.get(pid);
    return one !== undefined && (one.command.includes(profileDir) || isOurs(one.parent));
  };
  const renderers = [...processes].filter(
    ([pid, { command }]) => command.includes('--type=renderer') && isOurs(pid),
  );
  const sizes = await Promise.all(
    renderers.map(async ([pid]) => {
      const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
      return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
    }),
  );
  return sizes.length > 0 ? Math.max(...sizes) : null;
}
