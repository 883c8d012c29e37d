import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const EVERY_MS = 2_000;
/** While there is no window, and for a moment after there is one again: that is when it changes. */
const SOON_MS = 250;
const CHANGES_FOR_MS = 5_000;

/**
 * Keeps a PNG of the screen until the signal aborts. Readers see the old picture or the new one, never a part.
 * A moment without a window leaves the last picture where it is.
 */
export async function writeSnapshots(deps: {
  path: string;
  capture(): Promise<Uint8Array>;
  onError(error: unknown): void;
  signal: AbortSignal;
}): Promise<void> {
  const { path, signal } = deps;
  const part = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`);
  const aborted = once(signal, 'abort').then(() => null);
  let failedMs = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const startedMs = performance.now();
    try {
      // A picture that never comes must not hold up the end.
      const png = await Promise.race([deps.capture(), aborted]);
      if (png === null) break;
      await mkdir(dirname(path), { recursive: true });
      const file = await open(part, 'w');
      try {
        await file.writeFile(png);
      } finally {
        await file.close();
      }
      await rename(part, path);
    } catch (error) {
      deps.onError(error);
      failedMs = performance.now();
    }
    const everyMs = performance.now() - failedMs < CHANGES_FOR_MS ? SOON_MS : EVERY_MS;
    const leftMs = Math.max(200, everyMs - (performance.now() - startedMs));
    await wait(leftMs, null, { signal, ref: false }).catch(() => {});
  }
  await rm(part, { force: true });
}
