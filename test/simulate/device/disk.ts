import type { CommandEntry } from '../../../src/core/commands/journal.ts';

export interface PendingPlay {
  id: string;
  startedAtMs: number;
}

/** What a device remembers when it is switched off. */
export interface DeviceDisk {
  /** Plays that are not acknowledged, oldest first. */
  plays: PendingPlay[];
  /** Times of samples that are not acknowledged, oldest first. */
  samples: number[];
  commands: CommandEntry[];
  revision: string | null;
  playlistId: string | null;
  /** Of the base playlist. */
  items: { id: string; contentId: string }[];
  /** Hashes of files. */
  media: Set<string>;
}

export const emptyDisk = (): DeviceDisk => ({
  plays: [],
  samples: [],
  commands: [],
  revision: null,
  playlistId: null,
  items: [],
  media: new Set(),
});
