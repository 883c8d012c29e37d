import type { HeartbeatRequest } from '@placard/protocol';
import type Sqlite from 'better-sqlite3';
import { applyHeartbeat, nowPlayingEvent, previousReport } from '../domain/heartbeat-state.ts';
import type { HeartbeatEffect, LiveState } from '../domain/heartbeat-state.ts';
import type { Engine } from './engine/engine.ts';
import type { NewEvent } from './events.ts';
import { toSampleRow } from './heartbeats.ts';
import { createKnownDevices } from './known-devices.ts';
import type { KnownDevice, KnownDevices, PreviousState } from './known-devices.ts';
import {
  APPEND_TEXT,
  appendSamples,
  EMPTY_LENGTH,
  isTooLong,
  latestOf,
  samplesText,
  STORE_RECENT_OF_DEVICE,
} from './recent-samples.ts';
import { prepareOnce } from './prepare-once.ts';
import type { Row } from './schema.ts';
import { isIndexDue } from './silent-devices.ts';

export interface ArrivedHeartbeat {
  deviceId: string;
  request: HeartbeatRequest;
  nowMs: number;
  /** How many more samples of this device are accepted today. */
  maxNewSamples: number;
  /** Makes the id of the event that the device shows something else; null if none is recorded. Random bytes take 5 µs. */
  newEventId: (() => string) | null;
}

/** A heartbeat that was recorded; null for one that is not ordinary, of which nothing was written. */
export type RecordedHeartbeat = { newSamples: number; hasEvent: boolean } | null;

/** More are a backlog, which would delay the other heartbeats. */
const MAX_ORDINARY_SAMPLES = 10;

/** What `findOnline` reads of a device. */
type StoredState = Omit<PreviousState, 'report'> & LiveState & Pick<Row<'device_live'>, 'recent_samples'>;

/** What each heartbeat writes; `reportedValues` has the values. */
const REPORTED = `last_seen = ?, last_heartbeat = ?, applied_manifest_revision = ?, current = ?, storage = ?, frames = ?,
  tz_version = ?, latest_sample = coalesce(?, latest_sample), clock_offset_ms = coalesce(?, clock_offset_ms)`;

const reportedValues = (live: HeartbeatEffect['live']) => [
  live.last_seen,
  live.last_heartbeat,
  live.applied_manifest_revision,
  live.current,
  live.storage,
  live.frames,
  live.tz_version,
  live.latest_sample ?? null,
  live.clock_offset_ms ?? null,
];

/** `more`: a further column to write. */
const updateReadSql = (more: string) => `
  update device_live set ${REPORTED}, last_seen_indexed = ?, recent_samples = ?, health = coalesce(?, health)${more}
  where device = ?`;

/**
 * Changes nothing, so that the device is read instead, unless its row is as expected: online, with the last heartbeat and the
 * length of the recent samples that are known, no sample of this heartbeat rolled up, and `last_seen_indexed` not after it,
 * as after the clock was set back. The plus keeps SQLite from using the index of that column.
 */
const updateKnownSql = (more: string) => `
  update device_live set ${REPORTED}, recent_samples = ${APPEND_TEXT}${more}
  where device = ? and online = 1 and last_heartbeat = ? and +last_seen_indexed <= ? and rolled_up_until <= ?
    and ifnull(octet_length(recent_samples), ${EMPTY_LENGTH}) = ?`;

const prepareStatements = (database: Sqlite.Database) => ({
  // A device that is online, of which webhooks know that it is, and for which no command is waiting.
  findOnline: prepareOnce<[string, number], StoredState>(
    database,
    `select number, player_version, rolled_up_until, last_heartbeat, current, faults, latest_sample, health,
       recent_samples
     from devices join device_live on device_live.device = devices.number
     where devices.id = ? and online = 1 and told_status = 'online' and not exists (
       select 1 from commands where device_id = devices.id and status in ('queued', 'delivered') and expires_at > ?)`,
  ),
  latestStored: prepareOnce<[number], { at: number | null }>(
    database,
    'select max(at) as at from samples where device = ?',
  ),
  storeRecent: prepareOnce<[number]>(database, STORE_RECENT_OF_DEVICE),
  insertSample: prepareOnce(
    database,
    `insert into samples (device, at, cpu, memory, disk, temperature, wifi) values (?, ?, ?, ?, ?, ?, ?)
     on conflict do nothing`,
  ),
  // Writing `faults`, the same or not, runs the check of its trigger, which takes 1 µs.
  updateRead: prepareOnce(database, updateReadSql('')),
  updateReadAndFaults: prepareOnce(database, updateReadSql(', faults = ?')),
  // A statement that sets a column writes its index, the same value or not.
  updateKnown: prepareOnce(database, updateKnownSql('')),
  updateKnownAndIndex: prepareOnce(database, updateKnownSql(', last_seen_indexed = ?')),
  insertEvent: prepareOnce(
    database,
    `insert into events (seq, id, type, resource, end_offset, created_at, data)
     select coalesce(max(seq), 0) + 1, ?, ?, ?,
       coalesce((select end_offset from events order by seq desc limit 1), 0) + ?, ?, ? from events`,
  ),
});

export interface OrdinaryHeartbeats {
  /** Records those that are ordinary; runs in a transaction of the connection. */
  record: (arrived: readonly ArrivedHeartbeat[]) => RecordedHeartbeat[];
  /** To be called after a transaction with `record` that was not committed. */
  forget: () => void;
}

/**
 * Records heartbeats that change nothing but samples and live state, the case of nearly all: the device is online, has
 * no command waiting and no new fault, runs the same version, and its samples are not late. Others are left to the
 * transaction that handles every case.
 *
 * Statements that are prepared once, instead of queries that are built: with 100,000 devices 1,700 heartbeats arrive
 * per second, and building and preparing queries took more than 1 ms for each. The state after the previous heartbeat is
 * kept in memory (`known-devices.ts`).
 */
export function createOrdinaryHeartbeats(writer: Sqlite.Database): OrdinaryHeartbeats {
  const recorder = { statements: prepareStatements(writer), knownDevices: createKnownDevices(writer) };
  return {
    record(arrived) {
      recorder.knownDevices.forgetIfOthersWrote();
      /** Devices with a heartbeat that is not ordinary: those that follow it must not overtake it. */
      const skipped = new Set<string>();
      return arrived.map((heartbeat) => {
        const recorded = skipped.has(heartbeat.deviceId) ? null : recordOne(recorder, heartbeat);
        if (!recorded) {
          skipped.add(heartbeat.deviceId);
        }
        return recorded;
      });
    },
    forget: recorder.knownDevices.forgetAll,
  };
}

interface Recorder {
  statements: ReturnType<typeof prepareStatements>;
  knownDevices: KnownDevices;
}

interface OrdinaryEffect extends Pick<HeartbeatEffect, 'live' | 'report'> {
  rows: Row<'samples'>[];
  /** The device shows something else. */
  event: NewEvent | null;
}

/**
 * The rows of its samples and the live state of a device after a heartbeat; null if the heartbeat is not ordinary.
 * `device` is undefined for a device that is not online, of which webhooks do not know that it is, or for which a command
 * is waiting.
 */
export function ordinaryEffect(
  device: PreviousState | undefined,
  { deviceId, request, nowMs, maxNewSamples, newEventId }: ArrivedHeartbeat,
  encode?: Engine['encodeMeasure'],
): OrdinaryEffect | null {
  if (device?.player_version !== request.state.player_version) {
    return null;
  }
  const { samples, newFaults, nowPlaying, live, report } = applyHeartbeat(device.report, request, nowMs);
  const rows = samples.map((sample) => toSampleRow(device.number, sample, encode));
  const isOrdinary =
    newFaults.length === 0 &&
    rows.length <= Math.min(MAX_ORDINARY_SAMPLES, maxNewSamples) &&
    rows.every(({ at }) => at >= device.rolled_up_until);
  if (!isOrdinary) {
    return null;
  }
  if (nowPlaying === undefined || newEventId === null) {
    return { rows, live, report, event: null };
  }
  const { data, ...event } = nowPlayingEvent(deviceId, nowPlaying);
  return {
    rows,
    live,
    report,
    event: { ...event, id: newEventId(), data: JSON.stringify(data), created_at: nowMs },
  };
}

function recordOne(recorder: Recorder, heartbeat: ArrivedHeartbeat): RecordedHeartbeat {
  const known = recorder.knownDevices.find(heartbeat.deviceId);
  return (known && recordKnown(recorder.statements, known, heartbeat)) ?? readAndRecord(recorder, heartbeat);
}

/**
 * Records it without reading the device. Null, and nothing is written, if it must be read: other columns change, its samples
 * must be moved, or its row is not as expected.
 */
function recordKnown(
  statements: Recorder['statements'],
  known: KnownDevice,
  heartbeat: ArrivedHeartbeat,
): RecordedHeartbeat {
  const effect = ordinaryEffect(known, heartbeat);
  const [first] = effect?.rows ?? [];
  const last = effect?.rows.at(-1);
  if (!effect || !first || !last || effect.event) {
    return null;
  }
  const { rows, live, report } = effect;
  if (live.faults !== known.report.faults || live.health !== undefined) {
    return null;
  }
  const added = samplesText(known.latestAt, rows);
  if (added === null || isTooLong(known.recentLength, added.length)) {
    return null;
  }
  const reported = [...reportedValues(live), added];
  const expected = [known.number, known.report.lastHeartbeatMs, live.last_seen, first.at, known.recentLength];
  const isDue = isIndexDue(known.indexedMs, live.last_seen);
  const { changes } = isDue
    ? statements.updateKnownAndIndex.run(...reported, live.last_seen, ...expected)
    : statements.updateKnown.run(...reported, ...expected);
  if (changes === 0) {
    return null;
  }
  known.indexedMs = isDue ? live.last_seen : known.indexedMs;
  known.report = report;
  known.latestAt = last.at;
  known.recentLength += added.length + 1;
  return { newSamples: rows.length, hasEvent: false };
}

function readAndRecord(
  { statements, knownDevices }: Recorder,
  heartbeat: ArrivedHeartbeat,
): RecordedHeartbeat {
  knownDevices.forget(heartbeat.deviceId);
  const stored = statements.findOnline.get(heartbeat.deviceId, heartbeat.nowMs);
  const device = stored && {
    number: stored.number,
    player_version: stored.player_version,
    rolled_up_until: stored.rolled_up_until,
    report: previousReport(stored),
  };
  const effect = ordinaryEffect(device, heartbeat);
  if (!device || !effect) {
    return null;
  }
  const { rows, live, event, report } = effect;
  const { recent, newSamples } = recordSamples(statements, stored, rows);
  const written = [...reportedValues(live), live.last_seen, recent, live.health ?? null];
  if (live.faults === stored.faults) {
    statements.updateRead.run(...written, device.number);
  } else {
    statements.updateReadAndFaults.run(...written, live.faults, device.number);
  }
  if (event) {
    const { id, type, resource, data, created_at } = event;
    statements.insertEvent.run(id, type, resource, Buffer.byteLength(data), created_at, data);
  }
  const latestAt = recent === null ? statements.latestStored.get(device.number)?.at : latestOf(recent);
  knownDevices.add(heartbeat.deviceId, {
    ...device,
    report,
    latestAt: latestAt ?? -Infinity,
    indexedMs: live.last_seen,
    recentLength: recent?.length ?? EMPTY_LENGTH,
  });
  return { newSamples, hasEvent: event !== null };
}

/** Returns the samples of the device that its row is to have, and how many of these were new. */
function recordSamples(
  statements: ReturnType<typeof prepareStatements>,
  { number, recent_samples: before }: StoredState,
  rows: readonly Row<'samples'>[],
): { recent: string | null; newSamples: number } {
  if (rows.length === 0) {
    return { recent: before, newSamples: 0 };
  }
  const recent = appendSamples(before, rows, () => statements.latestStored.get(number)?.at ?? null);
  if (recent !== null) {
    return { recent, newSamples: rows.length };
  }
  statements.storeRecent.run(number);
  const inserted = rows.map(({ at, cpu, memory, disk, temperature, wifi }) =>
    statements.insertSample.run(number, at, cpu, memory, disk, temperature, wifi),
  );
  return { recent: null, newSamples: inserted.reduce((sum, { changes }) => sum + changes, 0) };
}
