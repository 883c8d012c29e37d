/** The version that simulated devices say. */
export const PLAYER_VERSION = '0.1.0';
