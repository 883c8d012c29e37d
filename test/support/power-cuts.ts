import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createReplayedDisk } from './disk-recording.ts';
import type { DiskEvent } from './disk-recording.ts';
import { createSeededRandom } from './seeded-random.ts';
import { tempDir } from './temp-dir.ts';

export interface PowerCuts {
  cuts: number;
  seed: number;
  /** The folder that is written anew for each cut. */
  dir: string;
  /** Starts the program on the folder; `before` is what was recorded before the cut. */
  findProblems: (dir: string, before: readonly DiskEvent[]) => Promise<string[]>;
}

/** Cuts the power at random moments of a recording; returns the problems found at each. */
export async function replayPowerCuts(
  events: readonly DiskEvent[],
  { cuts, seed, dir, findProblems }: PowerCuts,
): Promise<string[][]> {
  const random = createSeededRandom(seed);
  const instants = Array.from({ length: cuts }, () => 1 + random.below(events.length));
  const disk = createReplayedDisk();
  const found: string[][] = [];
  let fed = 0;
  for (const instant of instants.toSorted((a, b) => a - b)) {
    for (; fed < instant; fed++) {
      disk.applyEvent(events[fed]!);
    }
    disk.writeStateAfterPowerCut(dir, () => random.next());
    const problems = await findProblems(dir, events.slice(0, instant));
    found.push(problems.map((one) => `after event ${instant} of ${events.length}: ${one}`));
  }
  return found;
}

export const countLossyCuts = (found: readonly string[][]): number =>
  found.filter((problems) => problems.length > 0).length;

/** Null when there is no such file. */
export const hashOfFile = (path: string): string | null =>
  existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : null;

/** Replays a whole recording; returns the files of the recorded folder, and those with other contents. */
export function compareWithRecording(
  events: readonly DiskEvent[],
  data: string,
): { files: string[]; different: string[] } {
  // A write during which the process was killed may have happened or not.
  const certain = events.filter((event) => event.kind !== 'write' || !event.isCutOff);
  const copies = [events, certain].map((each) => writeFinalState(each));
  // The shared-memory file of the WAL is created anew at every start.
  const files = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map((entry) => join(entry.parentPath, entry.name).slice(data.length));
  return {
    files,
    different: files.filter((file) =>
      copies.every((copy) => hashOfFile(join(data, file)) !== hashOfFile(join(copy, file))),
    ),
  };
}

/** Writes what is on the disk after all events, synced or not, to a new folder. */
function writeFinalState(events: readonly DiskEvent[]): string {
  const disk = createReplayedDisk();
  for (const event of events) {
    disk.applyEvent(event);
  }
  const copy = join(tempDir(), 'copy');
  // What is not synced is on the disk as well: first all names, then all bytes.
  let isFirst = true;
  disk.writeStateAfterPowerCut(copy, () => {
    const chance = isFirst ? 1 - Number.EPSILON : 0;
    isFirst = false;
    return chance;
  });
  return copy;
}
