/** What a freshly started player knows about itself. */
export interface Vitals {
  /** A picture was on the screen since the start: of the playlist, or the pairing or idle screen. */
  pictureShown: boolean;
  storeOpen: boolean;
  cloud: 'not_tried' | 'reached' | 'network_down' | 'refused';
}

/**
 * Whether a version on trial has proved itself. A box without network is as healthy as it can be; a box that has a
 * network and still cannot talk to its cloud is not, for only the version before it can then bring it back.
 */
export const isHealthy = ({ pictureShown, storeOpen, cloud }: Vitals): boolean =>
  pictureShown && storeOpen && (cloud === 'reached' || cloud === 'network_down');

/** How it stands with the cloud, by what the player says of itself. */
export function cloudVital(connection: string, faults: readonly string[]): Vitals['cloud'] {
  if (connection === 'online' || faults.includes('cloud.busy')) return 'reached';
  if (faults.includes('cloud.unreachable')) return 'network_down';
  return faults.some((code) => code.startsWith('cloud.')) ? 'refused' : 'not_tried';
}
