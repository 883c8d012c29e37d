/** What a client knows about a resource that it requested. */
export interface LedgerEntry {
  /** Null until it was acknowledged; from then on it must exist after every restart. */
  id: string | null;
  /** State of its deletion: `gone` once it was acknowledged. */
  removal: 'no' | 'sent' | 'gone';
}

/** Everything that the clients of a trial requested and got acknowledged. Names are unique. */
export interface Ledger {
  assets: Map<string, LedgerEntry & { sha256: string }>;
  playlists: Map<string, LedgerEntry & { items: number }>;
  schedules: Map<string, LedgerEntry & { rules: number; targets: number }>;
  devices: Map<string, LedgerEntry>;
  stores: Map<string, LedgerEntry>;
  commands: Set<string>;
  screens: Map<string, DeviceLedger>;
  /** Webhook events caused by acknowledged writes, as `type id`, and those received. */
  notifications: { expected: Set<string>; received: Set<string> };
}

/** One device: what it sent, and what was deployed to it. */
export interface DeviceLedger {
  token: string;
  /** Times of acknowledged samples, and of all sent ones. */
  samples: { acknowledged: Set<string>; sent: Set<string> };
  plays: { acknowledged: Set<string>; sent: Set<string> };
  /** The last acknowledged deployed playlist, and the last one sent. */
  deployed: { acknowledged: string | null; sent: string | null };
}

export const createLedger = (): Ledger => ({
  assets: new Map(),
  playlists: new Map(),
  schedules: new Map(),
  devices: new Map(),
  stores: new Map(),
  commands: new Set(),
  screens: new Map(),
  notifications: { expected: new Set(), received: new Set() },
});
