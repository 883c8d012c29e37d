import { watch } from 'node:fs/promises';
import { findMediaFiles } from './media-files.ts';

/** A copy of a large file takes a while; it is read when it has not changed for so long. */
const QUIET_MS = 1_000;
/** Some file systems, such as shares, report nothing. */
const LOOK_ANYWAY_MS = 60_000;

/** Yields at once, and whenever something in the folder has changed and has been quiet since. Ends with the signal. */
export async function* folderChanges(folder: string, signal: AbortSignal): AsyncGenerator<void, void> {
  let wake = Promise.withResolvers<void>();
  const observe = async () => {
    for await (const _change of watch(folder, { recursive: true, signal })) {
      wake.resolve();
    }
  };
  // Without notifications there are still the looks at intervals.
  observe().catch(() => {});
  yield;
  while (!signal.aborted) {
    await Promise.race([wake.promise, pause(LOOK_ANYWAY_MS, signal)]);
    wake = Promise.withResolvers<void>();
    await untilQuiet(folder, signal);
    if (!signal.aborted) {
      yield;
    }
  }
}

/** Resolves when all files, or what prevents to look at them, have stayed as they are for a moment. */
async function untilQuiet(folder: string, signal: AbortSignal): Promise<void> {
  const look = () => findMediaFiles(folder).then((files) => JSON.stringify(files), String);
  for (let before = await look(); !signal.aborted;) {
    await pause(QUIET_MS, signal);
    const now = await look();
    if (now === before) {
      return;
    }
    before = now;
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish, { once: true });
  });
