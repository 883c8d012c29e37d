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
