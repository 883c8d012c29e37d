/**
 * Limits of an organization, and so of a manifest. The cloud rejects more; a player reads a manifest up to these
 * limits and ignores the rest.
 */
export const LIMITS = {
  schedules: 1_000,
  rulesPerSchedule: 500,
  /** In all schedules together. */
  rules: 5_000,
  /** In `except_dates` of a rule. */
  exceptDatesPerRule: 366,
  targetsPerSchedule: 1_000,
  /** In all schedules together. */
  targets: 10_000,
  /** Devices, stores and tags with a deployed playlist. */
  deployedTargets: 20_000,
  playlists: 5_000,
  itemsPerPlaylist: 2_000,
  /** In all playlists together. */
  items: 100_000,
  assets: 100_000,
  devices: 100_000,
  /** On all devices together. */
  deviceTags: 500_000,
  folders: 10_000,
  stores: 10_000,
  users: 10_000,
  openInvitations: 1_000,
  /** Unfinished commands of one device. */
  openCommands: 100,
} as const;
