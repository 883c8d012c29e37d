import type Sqlite from 'better-sqlite3';
import { setMostRecent } from '../domain/lru-map.ts';
import { LISTED_COLUMNS } from './device-list.ts';
import type { ListedDevice } from './device-list.ts';
import type { DeviceRow } from './devices.ts';
import type { Paging } from './list-part.ts';
import { prepareOnce } from './prepare-once.ts';
import { watchOtherCommits, watchRows } from './row-changes.ts';
import type { RowChangeEvent } from './row-changes.ts';
import { isWriting } from './sqlite-dialect.ts';
import type { SqliteConnections } from './sqlite-dialect.ts';

/** What lists show of a device, but for its last heartbeat: the same object as long as nothing of it has changed. */
export type SettledDevice = Readonly<Omit<ListedDevice, 'last_heartbeat'>>;

export interface NewestDevices {
  devices: { device: SettledDevice; last_heartbeat: number | null }[];
  total: number;
}

/** Reads of devices outside of transactions, as of the last commit of any process. */
export interface DeviceReads {
  find: (id: string) => DeviceRow | undefined;
  /** A page of all devices, newest first. */
  newest: (paging: Paging) => NewestDevices;
}

/** Kept in memory, the most recent ones: 10 MB. */
const MAX_KEPT = 10_000;

const TAGS =
  '(select json_group_array(tag order by position) from device_tags where device_id = devices.id) as tags';
type WithTagText<T> = Omit<T, 'tags'> & { tags: string };
const withTags = <T extends { tags: string }>(row: T): Omit<T, 'tags'> & { tags: string[] } => ({
  ...row,
  tags: JSON.parse(row.tags),
});

/** What lists show, and nothing that a heartbeat changes. */
const SETTLED = LISTED_COLUMNS.join(', ');
const CHANGES: readonly RowChangeEvent[] = [
  [`update of ${SETTLED} on main.devices`, 'old.id'],
  ['delete on main.devices', 'old.id'],
  ['insert on main.device_tags', 'new.device_id'],
  ['update on main.device_tags', 'old.device_id'],
  ['update on main.device_tags', 'new.device_id'],
  ['delete on main.device_tags', 'old.device_id'],
];

/**
 * Reads of devices with statements that are prepared once, instead of queries that are built.
 *
 * A list reads 100 rows of two tables with their tags and makes JSON of them, in 400 µs; of all that only the last
 * heartbeats change often. So the rest is kept, and a list reads ids and times, in 60 µs. It is forgotten when it changes, or
 * when another process has written. Other engines do without: there several nodes write.
 */
export function createDeviceReads(connections: SqliteConnections): DeviceReads {
  const { writer, reader, turnReads } = connections;
  const kept = new Map<string, SettledDevice>();
  watchRows(writer, 'device_changed', CHANGES, (id) => kept.delete(id));
  const haveOthersCommitted = watchOtherCommits(writer);

  const prepareReads = (connection: Sqlite.Database) => ({
    find: prepareOnce<[string], WithTagText<DeviceRow>>(
      connection,
      `select *, ${TAGS} from devices join device_live on device_live.device = devices.number where id = ?`,
    ),
    total: connection.prepare<[], number>('select devices from device_count').pluck(),
    newest: prepareOnce<[number, number], { id: string; last_heartbeat: number | null }>(
      connection,
      `select id, (select last_heartbeat from device_live where device = devices.number) as last_heartbeat
       from devices order by created_at desc, id desc limit ? offset ?`,
    ),
    settled: prepareOnce<[string], WithTagText<SettledDevice>>(
      connection,
      `select ${SETTLED}, ${TAGS} from devices where id in (select value from json_each(?))`,
    ),
  });
  const ofWriter = prepareReads(writer);
  const ofReader = prepareReads(reader);

  const findNewest = ({ page, limit }: Paging, reads: typeof ofWriter): NewestDevices => {
    if (haveOthersCommitted()) {
      kept.clear();
    }
    const total = reads.total.get() ?? 0;
    const offset = (page - 1) * limit;
    const rows = total <= offset ? [] : reads.newest.all(limit, offset);
    const unknown = rows.flatMap(({ id }) => (kept.has(id) ? [] : [id]));
    const read = new Map(
      unknown.length === 0
        ? []
        : reads.settled.all(JSON.stringify(unknown)).map((row) => [row.id, withTags(row)]),
    );
    // A transaction may have changed them, which is not read yet.
    for (const [id, device] of reads === ofWriter ? read : []) {
      setMostRecent(kept, id, device, MAX_KEPT);
    }
    const devices = rows.flatMap(({ id, last_heartbeat }) => {
      const device = kept.get(id) ?? read.get(id);
      return device ? [{ device, last_heartbeat }] : [];
    });
    return { devices, total };
  };

  // As in the dialect: between transactions the writer reads faster.
  const read = <T>(run: (reads: typeof ofWriter) => T): T =>
    isWriting(connections) ? run(ofReader) : turnReads.run(() => run(ofWriter));
  return {
    find(id) {
      const row = read((reads) => reads.find.get(id));
      return row && withTags(row);
    },
    newest: (paging) => read((reads) => findNewest(paging, reads)),
  };
}
