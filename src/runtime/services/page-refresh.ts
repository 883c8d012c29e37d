import { msUntilPageRefresh } from '../../core/health/page-refresh.ts';
import type { PlayerStateFields } from '../base/player-state.ts';
import type { ServiceDeps } from '../base/service-deps.ts';

/** A page loaded less than this long ago is not reloaded. */
const MIN_PAGE_AGE_MS = 12 * 3_600_000;
const POLL_INTERVAL_MS = 30_000;
const HOUR_MS = 3_600_000;

/**
 * Reloads the page once a night to free what a browser accumulates over weeks. Only at a transition between two
 * images, where nobody sees it, or while nothing is shown.
 */
export function createPageRefresh(
  deps: Pick<ServiceDeps, 'clock' | 'playerState' | 'reloadPage' | 'timezone' | 'log'>,
) {
  const { clock, playerState, log } = deps;
  let page = '';
  let loadedAtMonoMs = clock.monoMs();
  return {
    name: 'page-refresh',
    /** `id` is new for each load of the page. */
    onPageConnected(id: string) {
      if (id !== page) {
        loadedAtMonoMs = clock.monoMs();
      }
      page = id;
    },
    async run(signal: AbortSignal) {
      while (!signal.aborted) {
        const deviceId = playerState.fields.identity?.deviceId ?? '';
        const untilMs = msUntilPageRefresh(deviceId, deps.timezone(), clock.wallMs());
        if (
          untilMs === 0 &&
          clock.monoMs() - loadedAtMonoMs >= MIN_PAGE_AGE_MS &&
          canReload(playerState.fields)
        ) {
          loadedAtMonoMs = clock.monoMs();
          log.info({ page }, 'page.refreshed');
          deps.reloadPage();
        }
        // Checked at least hourly, because the clock or the time zone may change.
        await clock.sleep(untilMs === 0 ? POLL_INTERVAL_MS : Math.min(untilMs, HOUR_MS), signal);
      }
    },
  };
}

function canReload({ current, next, isNextReady, hasSomethingToShow }: Readonly<PlayerStateFields>): boolean {
  if (!hasSomethingToShow) {
    return true;
  }
  return current?.showing.kind === 'image' && next?.kind === 'image' && isNextReady;
}
