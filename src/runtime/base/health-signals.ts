import type { ReportedFault } from '@placard/protocol';
import type { ActivePlaylist } from '../../core/playback/compiled-manifest.ts';
import { cloudReachability } from '../../core/update/version-health.ts';
import type { HealthSignals } from '../../core/update/version-health.ts';
import type { ConnectionState } from './cloud-connection.ts';

/** The part of the player state that its health depends on. */
interface ReportedHealth {
  fields: {
    readonly connection: ConnectionState;
    readonly activePlaylist: Pick<ActivePlaylist, 'source'> | null;
    readonly current: object | null;
  };
  readonly faults: () => readonly Pick<ReportedFault, 'code'>[];
}

/**
 * Health signals of a running player, whose database is open. When there is something to show, a drawing page is not
 * enough: it has to be on the screen.
 */
export function readHealthSignals({ fields, faults }: ReportedHealth, isPageDrawing: boolean): HealthSignals {
  const { activePlaylist, connection, current } = fields;
  const hasNothingToShow = (activePlaylist?.source ?? 'none') === 'none';
  return {
    hasShownPicture: isPageDrawing && (current !== null || hasNothingToShow),
    isDatabaseOpen: true,
    cloud: cloudReachability(
      connection,
      faults().map(({ code }) => code),
    ),
  };
}
