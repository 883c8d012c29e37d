export const MEDIA_MODES = ['none', 'head', 'full'] as const;
export type MediaMode = (typeof MEDIA_MODES)[number];

/** What all devices of a simulation have in common. */
export interface DeviceSettings {
  /** Null: as the cloud asks for. */
  heartbeatMs: number | null;
  /** Length of a play; 0: no plays. */
  playMs: number;
  media: MediaMode;
}
