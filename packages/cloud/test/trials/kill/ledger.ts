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
  /** The last acknowledged status that the device reported; null before. */
  commands: Map<string, string | null>;
  screens: Map<string, DeviceLedger>;
  /** Number of heartbeats over sockets. */
  socketHeartbeats: { acknowledged: number; refused: number; unanswered: number };
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
  commands: new Map(),
  screens: new Map(),
  socketHeartbeats: { acknowledged: 0, refused: 0, unanswered: 0 },
  notifications: { expected: new Set(), received: new Set() },
});

/** A change of the ledger, noted before a request is sent or after it was acknowledged. */
export type LedgerNote =
  | { type: 'creating'; kind: 'devices' | 'stores'; name: string }
  | { type: 'creating'; kind: 'assets'; name: string; sha256: string }
  | { type: 'creating'; kind: 'playlists'; name: string; items: number }
  | { type: 'creating'; kind: 'schedules'; name: string; rules: number; targets: number }
  | { type: 'created'; kind: ResourceKind; name: string; id: string }
  | { type: 'removing' | 'removed'; kind: ResourceKind; name: string }
  | { type: 'paired'; device: string; token: string }
  | { type: 'sending' | 'sent'; kind: 'samples' | 'plays'; device: string; keys: readonly string[] }
  | { type: 'socket_heartbeat'; outcome: keyof Ledger['socketHeartbeats'] }
  | { type: 'deploying' | 'deployed'; device: string; playlist: string }
  | { type: 'commanded'; id: string }
  | { type: 'reported'; id: string; status: string };

export type ResourceKind = 'assets' | 'playlists' | 'schedules' | 'devices' | 'stores';

/** Writes a note into the ledger. */
export function applyNote(ledger: Ledger, note: LedgerNote): void {
  switch (note.type) {
    case 'creating':
      addEntry(ledger, note);
      break;
    case 'created':
      entryOf(ledger, note).id = note.id;
      break;
    case 'removing':
      entryOf(ledger, note).removal = 'sent';
      break;
    case 'removed':
      entryOf(ledger, note).removal = 'gone';
      break;
    case 'paired':
      ledger.screens.set(note.device, {
        token: note.token,
        samples: { acknowledged: new Set(), sent: new Set() },
        plays: { acknowledged: new Set(), sent: new Set() },
        deployed: { acknowledged: null, sent: null },
      });
      break;
    case 'sending':
    case 'sent': {
      const { acknowledged, sent } = screenOf(ledger, note.device)[note.kind];
      for (const key of note.keys) {
        (note.type === 'sent' ? acknowledged : sent).add(key);
      }
      break;
    }
    case 'socket_heartbeat':
      ledger.socketHeartbeats[note.outcome] += 1;
      break;
    case 'deploying':
      screenOf(ledger, note.device).deployed.sent = note.playlist;
      break;
    case 'deployed':
      screenOf(ledger, note.device).deployed = { acknowledged: note.playlist, sent: null };
      break;
    case 'commanded':
      ledger.commands.set(note.id, ledger.commands.get(note.id) ?? null);
      break;
    case 'reported':
      ledger.commands.set(note.id, note.status);
      break;
  }
}

function addEntry(ledger: Ledger, note: Extract<LedgerNote, { type: 'creating' }>): void {
  const entry: LedgerEntry = { id: null, removal: 'no' };
  switch (note.kind) {
    case 'assets':
      ledger.assets.set(note.name, { ...entry, sha256: note.sha256 });
      break;
    case 'playlists':
      ledger.playlists.set(note.name, { ...entry, items: note.items });
      break;
    case 'schedules':
      ledger.schedules.set(note.name, { ...entry, rules: note.rules, targets: note.targets });
      break;
    case 'devices':
    case 'stores':
      ledger[note.kind].set(note.name, entry);
      break;
  }
}

function entryOf(ledger: Ledger, { kind, name }: { kind: ResourceKind; name: string }): LedgerEntry {
  const entry = ledger[kind].get(name);
  if (!entry) {
    throw new Error(`${kind} ${name} is not in the ledger`);
  }
  return entry;
}

function screenOf(ledger: Ledger, device: string): DeviceLedger {
  const screen = ledger.screens.get(device);
  if (!screen) {
    throw new Error(`the device ${device} is not in the ledger`);
  }
  return screen;
}
