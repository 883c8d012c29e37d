import { msUntilRefresh } from '../../core/health/page-refresh.ts';
import type { Clock, Log } from '../../core/ports.ts';
import type { ToStage } from '../../stage-link/messages.ts';
import type { Board, BoardFacts } from '../board.ts';
import type { Service } from '../supervisor.ts';

export interface PageRefreshDeps {
  clock: Clock;
  board: Board;
  stage: { send(message: ToStage): void };
  /** IANA zone. */
  timezone(): string;
  log: Log;
}

export interface PageRefresh extends Service {
  /** `id`: made once per load of the page. */
  readonly pageArrived: (id: string) => void;
}

/** A page that was loaded since yesterday noon or so is fresh enough. */
const OLD_MS = 12 * 3_600_000;
const LOOK_MS = 30_000;
const HOUR_MS = 3_600_000;

/**
 * Loads the page anew once a night: what a browser gathers over weeks is gone before it shows. Only from one picture
 * to the next, which is the change that nobody sees, or while nothing is shown.
 */
export function createPageRefresh(deps: PageRefreshDeps): PageRefresh {
  const { clock, board, log } = deps;
  let page = '';
  let sinceMono = clock.mono();
  return {
    name: 'page-refresh',
    pageArrived(id) {
      if (id !== page) sinceMono = clock.mono();
      page = id;
    },
    async run(signal) {
      while (!signal.aborted) {
        const deviceId = board.facts.identity?.deviceId ?? '';
        const untilMs = msUntilRefresh(deviceId, deps.timezone(), clock.wall());
        if (untilMs === 0 && clock.mono() - sinceMono >= OLD_MS && isQuiet(board.facts)) {
          sinceMono = clock.mono();
          log.info({ page }, 'page.refreshed');
          deps.stage.send({ type: 'reload' });
        }
        // Clocks are corrected and zones changed: it is looked at again within the hour.
        await clock.sleep(untilMs === 0 ? LOOK_MS : Math.min(untilMs, HOUR_MS), signal);
      }
    },
  };
}

function isQuiet({ current, next, nextReady, onStage }: Readonly<BoardFacts>): boolean {
  if (!onStage) return true;
  return current?.draft.kind === 'image' && next?.kind === 'image' && nextReady;
}
