import type { StatusFile } from '../../core/ports.ts';
import type { ServiceDeps } from '../base/service-deps.ts';
import { buildStatus } from '../base/status.ts';
import type { Service } from '../base/supervisor.ts';

const IDLE_MS = 60_000;

/** Writes `status.json` whenever its content changes. */
export function createStatusLoop(
  deps: Pick<ServiceDeps, 'playerState' | 'wakeup' | 'log'> & {
    file: StatusFile;
    config: Parameters<typeof buildStatus>[1];
  },
): Service {
  let written = '';
  let failing = false;
  return {
    name: 'status',
    async run(signal) {
      while (!signal.aborted) {
        const status = buildStatus(deps.playerState, deps.config);
        const text = JSON.stringify(status);
        if (text !== written) {
          try {
            await deps.file.write(status);
            written = text;
            failing = false;
          } catch (error) {
            // Logged once: the status changes with every showing and would fill the log while the disk is full.
            if (!failing) {
              deps.log.warn({ error: String(error) }, 'status.write_failed');
            }
            failing = true;
          }
        }
        await deps.wakeup.wait(IDLE_MS, signal);
      }
    },
  };
}
