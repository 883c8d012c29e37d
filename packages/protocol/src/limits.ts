/**
 * How much an organization may hold, and so how much a manifest may. The cloud refuses more; a player takes so much of
 * a manifest and passes over the rest.
 */
export const LIMITS = {
  schedules: 1_000,
  rulesPerSchedule: 500,
  /** Of all schedules together. */
  rules: 5_000,
  targetsPerSchedule: 1_000,
  /** Of all schedules together. */
  targets: 10_000,
  /** Devices, stores and tags that hold a deployed playlist. */
  deployedTargets: 20_000,
  playlists: 5_000,
  itemsPerPlaylist: 2_000,
  /** Of all playlists together. */
  items: 100_000,
  assets: 100_000,
  devices: 100_000,
  /** Of all devices together. */
  deviceTags: 500_000,
  folders: 10_000,
  stores: 10_000,
  /** Commands of one device that have not ended. */
  openCommands: 100,
} as const;
