import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { operations } from '@placard/protocol/api';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';
import type { Api } from '../support/api.ts';
import { assert } from '../support/contract-violation.ts';
import { listDataFiles, hashFile, hashInName } from '../support/data-folder.ts';
import type { LedgerEntry, Ledger, DeviceLedger } from './ledger.ts';

export interface VerifyContext {
  api: Api;
  dataDir: string;
  ledger: Ledger;
  /** Files already verified; content-addressed files never change. */
  verified: Set<string>;
}

/** Compares all data in the cloud with what was acknowledged to clients. */
export async function verifyState(context: VerifyContext): Promise<void> {
  const { api, ledger } = context;
  verifyDatabase(join(context.dataDir, 'cloud.sqlite'), ledger);
  const playlists = await api.listAll(operations.listPlaylists);
  verifyRows('playlist', ledger.playlists, playlists, (entry, row) => row.item_count === entry.items);
  const schedules = await api.listAll(operations.listSchedules);
  verifyRows(
    'schedule',
    ledger.schedules,
    schedules,
    (entry, row) => row.rule_count === entry.rules && row.targets.length === entry.targets,
  );
  verifyRows('device', ledger.devices, await api.listAll(operations.listDevices), () => true);
  verifyRows('store', ledger.stores, await api.listAll(operations.listStores), () => true);
  const assets = await api.listAll(operations.listContent);
  verifyRows('asset', ledger.assets, assets, (entry, row) => row.sha256 === entry.sha256);
  await verifyBytes(context, assets);
  const commands = new Map((await api.listAll(operations.listCommands)).map((row) => [row.id, row.status]));
  for (const [id, reported] of ledger.commands) {
    const status = commands.get(id);
    assert(status !== undefined, 'an acknowledged command is lost', id);
    assert(reported === null || reported === status, 'an acknowledged status of a command is lost', {
      id,
      reported,
      status,
    });
  }
  for (const [id, screen] of ledger.screens) {
    await verifyDevice(context, id, screen);
  }
}

/** Every acknowledged row must exist once, every row must have been requested, and all must be complete. */
function verifyRows<E extends LedgerEntry, R extends { id: string; name: string }>(
  kind: string,
  entries: ReadonlyMap<string, E>,
  found: readonly R[],
  isComplete: (entry: E, row: R) => boolean,
): void {
  const byName = Map.groupBy(found, (row) => row.name);
  for (const [name, entry] of entries) {
    const [row, ...more] = byName.get(name) ?? [];
    assert(more.length === 0, `a ${kind} exists twice`, { name, entry, row, more });
    if (entry.removal === 'gone') {
      assert(!row, `a deleted ${kind} exists again`, { name, entry, row });
    } else if (entry.removal === 'no' && entry.id !== null) {
      assert(row?.id === entry.id, `an acknowledged ${kind} is lost`, { name, entry, row });
    }
    if (row) {
      assert(isComplete(entry, row), `a ${kind} is incomplete`, { name, entry, row });
    }
  }
  for (const [name, [row]] of byName) {
    assert(entries.has(name), `a ${kind} that was never requested`, row);
  }
}

async function verifyBytes(
  { api, dataDir, verified }: VerifyContext,
  assets: readonly { id: string; sha256: string; url: string }[],
): Promise<void> {
  for (const { url, sha256 } of assets) {
    if (verified.has(url)) {
      continue;
    }
    const { status, bytes } = await api.client.sendRaw({ method: 'GET', path: new URL(url).pathname });
    assert(
      status === 200 && createHash('sha256').update(bytes).digest('hex') === sha256,
      'the file of an asset is missing or wrong',
      { url, status },
    );
    verified.add(url);
  }
  for (const name of (await listDataFiles(dataDir)).keys()) {
    const named = hashInName(name);
    assert(named !== null, 'a file without a name is left after the restart', name);
    if (verified.has(name)) {
      continue;
    }
    assert(
      (await hashFile(join(dataDir, name))) === named,
      'the content of a file does not match the hash in its name',
      name,
    );
    verified.add(name);
  }
}

async function verifyDevice({ api }: VerifyContext, id: string, screen: DeviceLedger): Promise<void> {
  const manifest = await api.expectSuccess(operations.getManifest, { key: screen.token });
  const { configuration, storage, latest_heartbeat } = await api.expectSuccess(operations.getDevice, {
    params: { id },
  });
  verifyLiveState(screen.samples, latest_heartbeat?.measured_at ?? null, storage?.cache_bytes ?? null);
  assert(
    configuration.manifest_revision === manifest.revision,
    'the revision of a device does not match its manifest',
    {
      configuration,
      revision: manifest.revision,
    },
  );
  const { acknowledged, sent } = screen.deployed;
  assert([acknowledged, sent].includes(manifest.base_playlist_id), 'an acknowledged deployment is lost', {
    acknowledged,
    sent,
    base: manifest.base_playlist_id,
  });
  for (const playlist of manifest.playlists) {
    for (const item of playlist.items) {
      assert(
        manifest.assets.some((asset) => asset.id === item.content_id),
        'a manifest has an item without its asset',
        { playlist, item },
      );
    }
  }
}

/** The state must be that of the newest acknowledged heartbeat, or of one that was sent after it. */
function verifyLiveState(
  { acknowledged, sent }: DeviceLedger['samples'],
  measuredAt: string | null,
  reportedMs: number | null,
): void {
  const details = { measuredAt, reportedMs };
  const storedMs = measuredAt === null ? null : Date.parse(measuredAt);
  assert(storedMs === reportedMs, 'state and latest sample come from different heartbeats', details);
  const newestMs = Math.max(...[...acknowledged].map((at) => Date.parse(at)));
  assert(acknowledged.size === 0 || Number(storedMs) >= newestMs, 'an acknowledged state is lost', details);
  assert(measuredAt === null || sent.has(measuredAt), 'a sample that was never sent', details);
}

const count = z.object({ n: z.int().nullable() });
const keyed = z.object({ key: z.union([z.string(), z.int()]) });

/** Checks what the API does not show: integrity of the file, foreign keys, and aggregates against their rows. */
export function verifyDatabase(file: string, ledger: Ledger): void {
  const db = new Sqlite(file, { readonly: true });
  try {
    const integrity: unknown = db.pragma('integrity_check', { simple: true });
    assert(integrity === 'ok', 'the database is damaged', integrity);
    const dangling = db.pragma('foreign_key_check');
    assert(Array.isArray(dangling) && dangling.length === 0, 'a foreign key is dangling', dangling);
    const queryCount = (sql: string, ...values: string[]) =>
      count.parse(db.prepare(sql).get(...values)).n ?? 0;
    const queryKeys = (sql: string, ...values: string[]) =>
      db
        .prepare(sql)
        .all(...values)
        .map((row) => String(keyed.parse(row).key));
    for (const [id, { samples, plays }] of ledger.screens) {
      const storedInstants = queryKeys(
        'select at as key from all_samples join devices on devices.number = all_samples.device where id = ?',
        id,
      ).map((at) => new Date(Number(at)).toISOString());
      compareKeys('samples', storedInstants, samples);
      const storedSamples = storedInstants.length;
      const notRolledUp = queryCount(
        `select count(*) as n from all_samples join devices on devices.number = all_samples.device
         join device_live on device_live.device = all_samples.device where id = ? and at >= rolled_up_until`,
        id,
      );
      for (const interval of ['hour', 'day']) {
        const rolledUp = queryCount(
          'select sum(samples) as n from heartbeat_buckets where device_id = ? and interval = ?',
          id,
          interval,
        );
        assert(
          rolledUp + notRolledUp === storedSamples,
          `the ${interval} buckets hold ${rolledUp} of ${storedSamples - notRolledUp} samples`,
        );
      }
      const storedIds = queryKeys('select id as key from plays where device_id = ?', id);
      compareKeys('plays', storedIds, plays);
      const storedPlays = storedIds.length;
      const hours = queryCount('select sum(plays) as n from play_hours where device_id = ?', id);
      assert(hours === storedPlays, `the hours hold ${hours} of ${storedPlays} plays`);
      const days = queryCount('select sum(plays) as n from play_days where device_id = ?', id);
      assert(days === storedPlays, `the days hold ${days} of ${storedPlays} plays`);
    }
  } finally {
    db.close();
  }
}

function compareKeys(
  what: string,
  stored: readonly string[],
  { acknowledged, sent }: { acknowledged: ReadonlySet<string>; sent: ReadonlySet<string> },
): void {
  const storedKeys = new Set(stored);
  const lost = [...acknowledged].filter((key) => !storedKeys.has(key));
  assert(lost.length === 0, `${lost.length} acknowledged ${what} are lost`, lost);
  const unknown = stored.filter((key) => !sent.has(key));
  assert(unknown.length === 0, `${unknown.length} ${what} were never sent`, unknown);
}
