import { moveCloud } from '../../src/move/move-cloud.ts';
import type { MoveOptions } from '../../src/move/move-cloud.ts';
import { systemClock } from '../../src/system-clock.ts';

/** Moves a cloud, by default without its media; returns what the command prints. */
export async function runMove(
  options: Pick<MoveOptions, 'dataDir' | 'to'> & Partial<MoveOptions>,
): Promise<string> {
  const lines: string[] = [];
  await moveCloud({
    s3: undefined,
    verifyOnly: false,
    allowDamagedMedia: false,
    clock: systemClock,
    report: (line) => lines.push(line),
    ...options,
  });
  return lines.join('\n');
}
