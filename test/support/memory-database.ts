import type { HeartbeatSample, Manifest, Play } from '@placard/protocol';
import type { CommandEntry } from '../../src/core/commands/journal.ts';
import type { Identity, PairingSession } from '../../src/core/pairing/pairing-session.ts';
import type { DroppedPlays, Showing, PlayEnd } from '../../src/core/playback/plays.ts';
import { NO_ATTEMPTS } from '../../src/core/menu/pin-attempts.ts';
import type { LocalSettings, CachedFile, OrderPosition, PlayerDatabase } from '../../src/core/ports.ts';

type PlayRow =
  | { state: 'prepared' | 'superseded'; showing: Showing }
  | { state: 'open'; showing: Showing; startedAtMs: number; unconfirmedBootId: string | null }
  | {
      state: 'closed';
      showing: Showing;
      startedAtMs: number;
      end: PlayEnd;
      unconfirmedBootId: string | null;
    };

const clone = <T>(value: T): T => structuredClone(value);
const toMediaRow = ({ sha256, size, contentType }: CachedFile): CachedFile => ({ sha256, size, contentType });

/** A player database in memory. Pass it to a second runtime to simulate a restart. */
export function createMemoryDatabase(): PlayerDatabase {
  let identity: Identity | null = null;
  let screenSecret: string | null = null;
  let pairing: PairingSession | null = null;
  let held: Manifest | null = null;
  let target: Manifest | null = null;
  let lastGoodTimeMs: number | null = null;
  let startCount = 0;
  let updatesHeld = false;
  let droppedPlays: DroppedPlays | null = null;
  let localSettings: LocalSettings = { orientation: null, pinAttempts: NO_ATTEMPTS };
  const positions = new Map<string, OrderPosition>();
  const plays = new Map<string, PlayRow>();
  const samples = new Map<string, HeartbeatSample>();
  const commands = new Map<string, CommandEntry>();
  const media = new Map<string, CachedFile & { shownAt: number }>();
  const closedPlays = () =>
    [...plays.values()]
      .filter((row) => row.state === 'closed')
      .toSorted((a, b) => a.end.endedAtMs - b.end.endedAtMs || (a.showing.id < b.showing.id ? -1 : 1));

  const referencedHashes = () =>
    new Set([
      ...[held, target].flatMap((one) => one?.assets ?? []).map((asset) => asset.sha256),
      ...[...plays.values()].flatMap((row) => (row.state === 'closed' ? [] : [row.showing.sha256])),
    ]);

  return {
    transaction: (act) => act(),
    readIdentity: () => identity,
    saveIdentity(next) {
      identity = next;
    },
    eraseDevice() {
      identity = pairing = held = target = droppedPlays = null;
      updatesHeld = false;
      for (const map of [positions, plays, samples, commands]) {
        map.clear();
      }
    },
    readScreenSecret: () => screenSecret,
    saveScreenSecret(secret) {
      screenSecret = secret;
    },
    readPairing: () => pairing,
    savePairing(session) {
      pairing = session;
    },
    readManifests: () => clone({ held, target }),
    saveTargetManifest(manifest) {
      target = clone(manifest);
    },
    promoteTargetManifest() {
      held = target ?? held;
      target = null;
    },
    readPositions: () => clone(Object.fromEntries(positions)),
    savePreparedShowing(showing, position) {
      for (const row of plays.values()) {
        if (row.state === 'prepared') {
          row.state = 'superseded';
        }
      }
      if (showing && !plays.has(showing.id)) {
        plays.set(showing.id, { state: 'prepared', showing });
      }
      if (position?.position) {
        positions.set(position.playlistId, clone(position.position));
      } else if (position) {
        positions.delete(position.playlistId);
      }
    },
    savePlayStart(showing, startedAtMs, unconfirmedBootId) {
      const row = plays.get(showing.id);
      if (row?.state === 'open' || row?.state === 'closed') {
        return;
      }
      plays.set(showing.id, { state: 'open', showing, startedAtMs, unconfirmedBootId });
      for (const one of plays.values()) {
        if (one.state === 'superseded') {
          plays.delete(one.showing.id);
        }
      }
      const shown = media.get(showing.sha256);
      if (shown) {
        shown.shownAt = startedAtMs;
      }
    },
    savePlayEnd(showing, startedAtMs, end, unconfirmedBootId) {
      if (plays.get(showing.id)?.state === 'closed') {
        return;
      }
      plays.set(showing.id, { state: 'closed', showing, startedAtMs, end, unconfirmedBootId });
    },
    shiftUnconfirmedPlays(unconfirmedBootId, byMs, right) {
      for (const row of plays.values()) {
        if (!('unconfirmedBootId' in row) || row.unconfirmedBootId !== unconfirmedBootId) {
          continue;
        }
        row.startedAtMs += byMs;
        if (row.state === 'closed') {
          row.end = { ...row.end, endedAtMs: row.end.endedAtMs + byMs };
        }
        if (right) {
          row.unconfirmedBootId = null;
        }
      }
    },
    readUnfinishedPlays() {
      const rows = [...plays.values()];
      return {
        prepared: rows.find((row) => row.state === 'prepared')?.showing ?? null,
        superseded: rows.flatMap((row) => (row.state === 'superseded' ? [row.showing] : [])),
        open: rows
          .flatMap((row) =>
            row.state === 'open'
              ? [
                  {
                    showing: row.showing,
                    startedAtMs: row.startedAtMs,
                    unconfirmedBootId: row.unconfirmedBootId,
                  },
                ]
              : [],
          )
          .toSorted((a, b) => a.startedAtMs - b.startedAtMs),
      };
    },
    readPendingPlays: (limit) => closedPlays().slice(0, limit).map(toWirePlay),
    deleteReportedPlays(ids) {
      for (const id of ids) {
        if (plays.get(id)?.state === 'closed') {
          plays.delete(id);
        }
      }
    },
    deletePlaysBefore(ms) {
      const old = closedPlays().filter((row) => row.end.endedAtMs < ms);
      for (const row of old) {
        plays.delete(row.showing.id);
      }
      return old.length;
    },
    readDroppedPlays: () => droppedPlays,
    addDroppedPlays(count, atMs) {
      droppedPlays = { count: (droppedPlays?.count ?? 0) + count, lastAtMs: atMs };
    },
    saveSample: (sample) => void samples.set(sample.measured_at, sample),
    readSamples: (limit) =>
      [...samples.values()].toSorted((a, b) => (a.measured_at < b.measured_at ? -1 : 1)).slice(0, limit),
    deleteSamples(measuredAt) {
      for (const at of measuredAt) {
        samples.delete(at);
      }
    },
    readCommands: () =>
      [...commands.values()].toSorted((a, b) => a.receivedAtMs - b.receivedAtMs || (a.id < b.id ? -1 : 1)),
    saveCommand: (entry) => void commands.set(entry.id, clone(entry)),
    deleteReportedCommandsBefore(ms) {
      for (const entry of commands.values()) {
        if (entry.receivedAtMs < ms && entry.stage === entry.told) {
          commands.delete(entry.id);
        }
      }
    },
    readLastGoodTime: () => lastGoodTimeMs,
    saveLastGoodTime(ms) {
      lastGoodTimeMs = ms;
    },
    countStart: () => ++startCount,
    readUpdatesHeld: () => updatesHeld,
    saveUpdatesHeld(next) {
      updatesHeld = next;
    },
    readLocalSettings: () => clone(localSettings),
    saveLocalSettings(settings) {
      localSettings = clone(settings);
    },
    listMedia: () => [...media.values()].map(toMediaRow),
    saveMedia: (row) => void media.set(row.sha256, { ...row, shownAt: media.get(row.sha256)?.shownAt ?? 0 }),
    removeMedia: (sha256) => void media.delete(sha256),
    isReferenced: (sha256) => referencedHashes().has(sha256),
    listUnreferencedMedia() {
      const referenced = referencedHashes();
      return [...media.values()]
        .filter((row) => !referenced.has(row.sha256))
        .toSorted((a, b) => a.shownAt - b.shownAt || (a.sha256 < b.sha256 ? -1 : 1))
        .map(toMediaRow);
    },
    close() {},
  };
}

const toWirePlay = (row: Extract<PlayRow, { state: 'closed' }>): Play => ({
  id: row.showing.id,
  content_id: row.showing.contentId,
  playlist_id: row.showing.playlistId,
  schedule_id: row.showing.scheduleId,
  rule_id: row.showing.ruleId,
  started_at: new Date(row.startedAtMs).toISOString(),
  ended_at: new Date(row.end.endedAtMs).toISOString(),
  duration_ms: Math.round(row.end.durationMs),
  outcome: row.end.outcome,
  reason: row.end.reason,
});
