import process from 'node:process';
import { createSystemClock } from '../../adapters/clock/system-clock.ts';
import type { Clock } from '../../core/ports.ts';
import { hashOf, readSmall } from './foreign-file.ts';
import { isPaired } from './kept-pins.ts';
import { provisioningFiles } from './places.ts';
import { readProvisioned } from './provisioned.ts';

interface Places {
  dataDir: string;
  platform: string;
  root?: string;
}

const LOOK_EVERY_MS = 5_000;

/** Place and content of every `placard.json` of this machine, as one text each. */
export const filePrints = (places: Places): ReadonlySet<string> =>
  new Set(filesNow(places).map(({ print }) => print));

function filesNow(places: Places): { path: string; hash: string; print: string }[] {
  return provisioningFiles(places).flatMap((path) => {
    const text = readSmall(path);
    if (text === null) return [];
    const hash = hashOf(text);
    return [{ path, hash, print: `${path} ${hash}` }];
  });
}

/**
 * Resolves with the path of a `placard.json` that has come since the start and was not dealt with before, or with null
 * when the signal aborts. A player that is paired waits: it takes files at its start alone, where tries at its PIN are
 * counted.
 */
export async function newProvisioningFile(
  deps: Places & { filesAtStart: ReadonlySet<string>; clock: Pick<Clock, 'sleep'>; signal: AbortSignal },
): Promise<string | null> {
  const { filesAtStart, clock, signal, dataDir } = deps;
  for (;;) {
    await clock.sleep(LOOK_EVERY_MS, signal);
    if (signal.aborted) return null;
    if (isPaired(dataDir)) continue;
    const found = filesNow(deps).find(
      ({ print, hash }) => !filesAtStart.has(print) && !readProvisioned(dataDir).seen.includes(hash),
    );
    if (found) return found.path;
  }
}

/** The same on this machine, in its own time. */
export const watchSettings =
  (dataDir: string, filesAtStart: ReadonlySet<string>) =>
  (signal: AbortSignal): Promise<string | null> =>
    newProvisioningFile({
      dataDir,
      platform: process.platform,
      filesAtStart,
      clock: createSystemClock({ lastGoodMs: null }),
      signal,
    });
