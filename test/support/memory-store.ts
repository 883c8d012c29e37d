import type { HeartbeatSample, Manifest, Play } from '@placard/protocol';
import type { CommandEntry } from '../../src/core/commands/journal.ts';
import type { PairingSession } from '../../src/core/pairing/pairing.ts';
import type { DroppedPlays, PlayDraft, PlayEnd } from '../../src/core/playback/plays.ts';
import { NO_ATTEMPTS } from '../../src/core/menu/pin-attempts.ts';
import type { Identity, LocalSettings, MediaRow, OrderPosition, Store } from '../../src/core/ports.ts';

type PlayRow =
  | { state: 'prepared' | 'superseded'; draft: PlayDraft }
  | { state: 'open'; draft: PlayDraft; startedAtMs: number; guess: string | null }
  | { state: 'closed'; draft: PlayDraft; startedAtMs: number; end: PlayEnd; guess: string | null };

const copy = <T>(value: T): T => structuredClone(value);
const rowOf = ({ sha256, size, contentType }: MediaRow): MediaRow => ({ sha256, size, contentType });

/** A store that forgets everything at the end of the process. Give it to a second runtime to play a restart. */
export function createMemoryStore(): Store {
  let identity: Identity | null = null;
  let screenSecret: string | null = null;
  let pairing: PairingSession | null = null;
  let held: Manifest | null = null;
  let target: Manifest | null = null;
  let lastGood: number | null = null;
  let dropped: DroppedPlays | null = null;
  let local: LocalSettings = { orientation: null, pinAttempts: NO_ATTEMPTS };
  const positions = new Map<string, OrderPosition>();
  const plays = new Map<string, PlayRow>();
  const samples = new Map<string, HeartbeatSample>();
  const commands = new Map<string, CommandEntry>();
  const media = new Map<string, MediaRow & { shownAt: number }>();
  const closed = () =>
    [...plays.values()]
      .filter((row) => row.state === 'closed')
      .toSorted((a, b) => a.end.endedAtMs - b.end.endedAtMs || (a.draft.id < b.draft.id ? -1 : 1));

  const named = () =>
    new Set([
      ...[held, target].flatMap((one) => one?.assets ?? []).map((asset) => asset.sha256),
      ...[...plays.values()].flatMap((row) => (row.state === 'closed' ? [] : [row.draft.sha256])),
    ]);

  return {
    together: (act) => act(),
    readIdentity: () => identity,
    saveIdentity(next) {
      identity = next;
    },
    forgetDevice() {
      identity = pairing = held = target = dropped = null;
      for (const map of [positions, plays, samples, commands]) map.clear();
    },
    readScreenSecret: () => screenSecret,
    saveScreenSecret(secret) {
      screenSecret = secret;
    },
    readPairing: () => pairing,
    savePairing(session) {
      pairing = session;
    },
    readManifests: () => copy({ held, target }),
    saveTarget(manifest) {
      target = copy(manifest);
    },
    promoteTarget() {
      held = target ?? held;
      target = null;
    },
    readPositions: () => copy(Object.fromEntries(positions)),
    playPrepared(draft, position) {
      for (const row of plays.values()) if (row.state === 'prepared') row.state = 'superseded';
      if (draft && !plays.has(draft.id)) plays.set(draft.id, { state: 'prepared', draft });
      if (position?.position) positions.set(position.playlistId, copy(position.position));
      else if (position) positions.delete(position.playlistId);
    },
    playStarted(draft, startedAtMs, guess) {
      const row = plays.get(draft.id);
      if (row?.state === 'open' || row?.state === 'closed') return;
      plays.set(draft.id, { state: 'open', draft, startedAtMs, guess });
      for (const one of plays.values()) if (one.state === 'superseded') plays.delete(one.draft.id);
      const shown = media.get(draft.sha256);
      if (shown) shown.shownAt = startedAtMs;
    },
    playEnded(draft, startedAtMs, end, guess) {
      if (plays.get(draft.id)?.state === 'closed') return;
      plays.set(draft.id, { state: 'closed', draft, startedAtMs, end, guess });
    },
    correctPlays(guess, byMs, right) {
      for (const row of plays.values()) {
        if (!('guess' in row) || row.guess !== guess) continue;
        row.startedAtMs += byMs;
        if (row.state === 'closed') row.end = { ...row.end, endedAtMs: row.end.endedAtMs + byMs };
        if (right) row.guess = null;
      }
    },
    unfinishedPlays() {
      const rows = [...plays.values()];
      return {
        prepared: rows.find((row) => row.state === 'prepared')?.draft ?? null,
        superseded: rows.flatMap((row) => (row.state === 'superseded' ? [row.draft] : [])),
        open: rows
          .flatMap((row) =>
            row.state === 'open'
              ? [{ draft: row.draft, startedAtMs: row.startedAtMs, guess: row.guess }]
              : [],
          )
          .toSorted((a, b) => a.startedAtMs - b.startedAtMs),
      };
    },
    pendingPlays: (limit) => closed().slice(0, limit).map(wirePlay),
    confirmPlays(ids) {
      for (const id of ids) if (plays.get(id)?.state === 'closed') plays.delete(id);
    },
    dropPlaysBefore(ms) {
      const old = closed().filter((row) => row.end.endedAtMs < ms);
      for (const row of old) plays.delete(row.draft.id);
      return old.length;
    },
    readDropped: () => dropped,
    countDropped(count, atMs) {
      dropped = { count: (dropped?.count ?? 0) + count, lastAtMs: atMs };
    },
    saveSample: (sample) => void samples.set(sample.measured_at, sample),
    readSamples: (limit) =>
      [...samples.values()].toSorted((a, b) => (a.measured_at < b.measured_at ? -1 : 1)).slice(0, limit),
    deleteSamples(measuredAt) {
      for (const at of measuredAt) samples.delete(at);
    },
    readCommands: () =>
      [...commands.values()].toSorted((a, b) => a.receivedAtMs - b.receivedAtMs || (a.id < b.id ? -1 : 1)),
    saveCommand: (entry) => void commands.set(entry.id, copy(entry)),
    forgetCommandsBefore(ms) {
      for (const entry of commands.values()) {
        if (entry.receivedAtMs < ms && entry.stage === entry.told) commands.delete(entry.id);
      }
    },
    readLastGoodTime: () => lastGood,
    saveLastGoodTime(ms) {
      lastGood = ms;
    },
    readLocal: () => copy(local),
    saveLocal(settings) {
      local = copy(settings);
    },
    listMedia: () => [...media.values()].map(rowOf),
    putMedia: (row) => void media.set(row.sha256, { ...row, shownAt: media.get(row.sha256)?.shownAt ?? 0 }),
    removeMedia: (sha256) => void media.delete(sha256),
    mediaShown(sha256, atMs) {
      const row = media.get(sha256);
      if (row) row.shownAt = atMs;
    },
    isNamed: (sha256) => named().has(sha256),
    unnamedMedia() {
      const kept = named();
      return [...media.values()]
        .filter((row) => !kept.has(row.sha256))
        .toSorted((a, b) => a.shownAt - b.shownAt || (a.sha256 < b.sha256 ? -1 : 1))
        .map(rowOf);
    },
    close() {},
  };
}

const wirePlay = (row: Extract<PlayRow, { state: 'closed' }>): Play => ({
  id: row.draft.id,
  content_id: row.draft.contentId,
  playlist_id: row.draft.playlistId,
  schedule_id: row.draft.scheduleId,
  rule_id: row.draft.ruleId,
  started_at: new Date(row.startedAtMs).toISOString(),
  ended_at: new Date(row.end.endedAtMs).toISOString(),
  duration_ms: Math.round(row.end.durationMs),
  outcome: row.end.outcome,
  reason: row.end.reason,
});
