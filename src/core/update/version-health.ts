/** Health signals of a newly started player. */
export interface HealthSignals {
  /** A picture was on the screen since the start: of the playlist, or the pairing or idle screen. */
  hasShownPicture: boolean;
  isDatabaseOpen: boolean;
  cloud: 'not_tried' | 'reached' | 'network_down' | 'refused';
}

/**
 * Whether a version on trial is healthy. Without network a device cannot prove more; with a network but no connection
 * to its cloud it is unhealthy, because then only a rollback can restore the connection.
 */
export const isHealthy = ({ hasShownPicture, isDatabaseOpen, cloud }: HealthSignals): boolean =>
  hasShownPicture && isDatabaseOpen && (cloud === 'reached' || cloud === 'network_down');

/** Reachability of the cloud, from the connection state and the faults of the player. */
export function cloudReachability(connection: string, faults: readonly string[]): HealthSignals['cloud'] {
  if (connection === 'online' || faults.includes('cloud.busy')) {
    return 'reached';
  }
  if (faults.includes('cloud.unreachable')) {
    return 'network_down';
  }
  return faults.some((code) => code.startsWith('cloud.')) ? 'refused' : 'not_tried';
}
