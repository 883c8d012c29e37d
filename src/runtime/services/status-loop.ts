import type { Log, StatusFile } from '../../core/ports.ts';
import type { Bell } from '../bell.ts';
import type { Board } from '../board.ts';
import { statusOf } from '../status.ts';
import type { Service } from '../supervisor.ts';

const IDLE_MS = 60_000;

/** Writes `status.json` whenever what it says has changed. */
export function createStatusLoop(deps: {
  board: Board;
  bell: Bell;
  file: StatusFile;
  config: Parameters<typeof statusOf>[1];
  log: Log;
}): Service {
  let written = '';
  let failing = false;
  return {
    name: 'status',
    async run(signal) {
      while (!signal.aborted) {
        const status = statusOf(deps.board, deps.config);
        const text = JSON.stringify(status);
        if (text !== written) {
          try {
            await deps.file.write(status);
            written = text;
            failing = false;
          } catch (error) {
            // It changes with every picture: a disk that stays full would fill the log with this alone.
            if (!failing) deps.log.warn({ error: String(error) }, 'status.not_written');
            failing = true;
          }
        }
        await deps.bell.wait(IDLE_MS, signal);
      }
    },
  };
}
