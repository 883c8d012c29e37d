/** What a client knows of something that it asked for. */
export interface Entry {
  /** Null until an answer told it: then it has to be there after every restart. */
  id: string | null;
  /** It was asked to go; `gone` once that was answered. */
  removal: 'no' | 'sent' | 'gone';
}

/** All that the clients of a trial asked for and were promised. Names are used once. */
export interface Ledger {
  assets: Map<string, Entry & { sha256: string }>;
  playlists: Map<string, Entry & { items: number }>;
  schedules: Map<string, Entry & { rules: number; targets: number }>;
  devices: Map<string, Entry>;
  stores: Map<string, Entry>;
  commands: Set<string>;
  screens: Map<string, ScreenLedger>;
  /** Notifications that answered writes have caused, as `type id`; and those that came. */
  notices: { due: Set<string>; came: Set<string> };
}

/** One screen: what it sent, and what was deployed to it. */
export interface ScreenLedger {
  token: string;
  /** Instants of samples that were answered, and of those on the way. */
  samples: { told: Set<string>; sent: Set<string> };
  plays: { told: Set<string>; sent: Set<string> };
  /** Playlist that was deployed last and answered, and the one on the way. */
  deployed: { told: string | null; sent: string | null };
}

export const createLedger = (): Ledger => ({
  assets: new Map(),
  playlists: new Map(),
  schedules: new Map(),
  devices: new Map(),
  stores: new Map(),
  commands: new Set(),
  screens: new Map(),
  notices: { due: new Set(), came: new Set() },
});
